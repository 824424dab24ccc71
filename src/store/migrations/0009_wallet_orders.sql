-- 0009 wallet orders: what a wallet is about to fetch is stored before it is requested, so that a process which dies loses no credential.
-- Locks: a moment on wallet_deferred. Old code runs on it: yes, it leaves the new columns null.
-- Way back: delete from wallet_deferred where claim is not null; then drop the columns and the indexes.

-- A row is now any credential that is still to come: one that its issuer defers, or one that is being requested at this moment.
-- The lease of the call or job run that requests it (store/lease.ts). A row with an expired lease gets a job.
alter table wallet_deferred add column claim uuid;
alter table wallet_deferred add column lease_until timestamptz;
alter table wallet_deferred add constraint wallet_deferred_lease check ((claim is null) = (lease_until is null));
grant select (lease_until) on wallet_deferred to chirograph_across;
-- Digest (SHA-256, base64url) of the offer that led to it: a call that repeats the offer finds the order by it. Null for what the issuer deferred.
alter table wallet_deferred add column offer_hash text check (length(offer_hash) = 43);
create index wallet_deferred_lease on wallet_deferred (lease_until) where lease_until is not null;
create index wallet_deferred_offer on wallet_deferred (tenant_id, user_id, offer_hash) where offer_hash is not null;
