-- 0009 wallet orders: what a wallet is about to fetch is kept before it is asked for, so that a process which dies loses no credential.
-- Locks: a moment each on wallet_deferred and wallet_presentation. Old code runs on it: yes, it leaves the new columns null.
-- Way back: delete from wallet_deferred where asked_until is not null; then drop the columns and the indexes.

-- A row is now any credential that is still to come: one that its issuer gives later, or one that is being asked for at this moment.
-- asked_until: until when the call of the holder that made the row is at work on it; null: a job is. A row past it was left by a process
-- that died, and gets a job.
alter table wallet_deferred add column asked_until timestamptz;
grant select (asked_until) on wallet_deferred to chirograph_across;
-- Which run of the job is at work on it, and since when: of two runs one may give it up.
alter table wallet_deferred add column claim uuid;
alter table wallet_deferred add column claimed_at timestamptz;
alter table wallet_deferred add constraint wallet_deferred_claim check ((claim is null) = (claimed_at is null));
create index wallet_deferred_asked on wallet_deferred (asked_until) where asked_until is not null;

-- An answer whose process died ends when that is certain, and not only when its request has expired.
create index wallet_presentation_answering on wallet_presentation (answering_at) where answering_at is not null;
