-- 0042 copy refills: a wallet replaces the used copies of a batch, and an issuer issues new copies for other keys.
-- Locks: issuance while columns are added (no rewrite); the new table none. Old code runs on it: yes, it refills nothing. Way back: drop the
-- columns and the table.

-- Until when the wallet that redeemed a code may get new copies for other keys; null: it may not. The claims are kept until then.
alter table issuance add column refill_until timestamptz;
-- How often it did; null: never.
alter table issuance add column refills smallint;
grant select (refill_until) on issuance to chirograph_across;

-- What is needed to get new copies of a credential that came in a batch. `sealed_work` (tokens, and the keys of a request that was not
-- answered yet) is deleted with the row: when the issuer refuses, at drop_at, or with the credential.
create table wallet_refill (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  -- That of the credential.
  id            uuid not null,
  sealed_work   bytea not null,
  -- Since when a job is enqueued; null: none is.
  queued_at     timestamptz,
  -- The lease of the job run that requests the copies (store/lease.ts).
  claim         uuid,
  lease_until   timestamptz,
  drop_at       timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, id) references wallet_credential (tenant_id, id) on delete cascade,
  check ((claim is null) = (lease_until is null))
);
create index wallet_refill_due on wallet_refill (drop_at);
select protect_tenant_rows('wallet_refill');
select open_across('wallet_refill');
