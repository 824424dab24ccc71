-- 0015 limits: the answers to requests with an Idempotency-Key, and failures that all processes count together.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- One row for each key of a caller, from the first attempt until a day after its answer.
create table kept_answer (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  -- SHA-256 over caller and key.
  key_hash      bytea not null check (octet_length(key_hash) = 32),
  -- SHA-256 over method, path and body.
  request_hash  bytea not null check (octet_length(request_hash) = 32),
  -- The attempt that has claimed the key; another takes over when its lease has expired.
  claim         uuid,
  lease_until   timestamptz,
  -- Of the first attempt. Ids of created resources are derived from it, so that a second attempt creates nothing twice.
  started_at    timestamptz not null,
  attempts      integer not null default 1,
  answered_at   timestamptz,
  -- May contain personal data and secrets that are shown once. Cleared with the row, by the sweep http.forget-answers.
  -- null once answered: the answer was too large to keep.
  sealed_answer bytea check (octet_length(sealed_answer) <= 2097152),
  expires_at    timestamptz not null,
  primary key (tenant_id, key_hash),
  check (sealed_answer is null or answered_at is not null),
  check (claim is null or answered_at is null),
  check ((claim is null) = (lease_until is null))
);
create index kept_answer_expiry on kept_answer (expires_at);
select protect_tenant_rows('kept_answer');
select open_across('kept_answer', true);
grant select (key_hash) on kept_answer to chirograph_across;

-- Rows are of the platform, whichever tenant the caller is of. The key is a MAC of the limit and what it counts by, so
-- the table holds no name and no address. Deleted by a success under the key, or by the sweep api.delete-shared-counts.
create table shared_count (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  key        bytea not null check (octet_length(key) = 32),
  count      integer not null check (count > 0),
  -- The end of the window, which starts with the first failure.
  expires_at timestamptz not null,
  primary key (tenant_id, key)
);
create index shared_count_expiry on shared_count (expires_at);
select protect_tenant_rows('shared_count');
select open_across('shared_count', true);
