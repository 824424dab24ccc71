-- 0009 wallet orders: what a wallet is about to fetch is kept before it is asked for, so that a process which dies loses no credential.
-- Locks: a moment on wallet_deferred. Old code runs on it: yes, it leaves the new columns null.
-- Way back: delete from wallet_deferred where asked_until is not null; then drop the columns and the indexes.

-- A row is now any credential that is still to come: one that its issuer gives later, or one that is being asked for at this moment.
-- asked_until: until when a call of the holder is at work on it; null: none is. A row past it was left by a process that died, and gets a job.
alter table wallet_deferred add column asked_until timestamptz;
grant select (asked_until) on wallet_deferred to chirograph_across;
-- Which call or which run of the job is at work on it, and since when: of two one may give it up.
alter table wallet_deferred add column claim uuid;
alter table wallet_deferred add column claimed_at timestamptz;
alter table wallet_deferred add constraint wallet_deferred_claim check ((claim is null) = (claimed_at is null));
alter table wallet_deferred add constraint wallet_deferred_asked_claim check (asked_until is null or claim is not null);
-- Digest (SHA-256, base64url) of the offer that led to it: a call that repeats the offer finds the order by it. Null for what the issuer deferred.
alter table wallet_deferred add column offer_hash text check (length(offer_hash) = 43);
create index wallet_deferred_asked on wallet_deferred (asked_until) where asked_until is not null;
create index wallet_deferred_offer on wallet_deferred (tenant_id, user_id, offer_hash) where offer_hash is not null;
