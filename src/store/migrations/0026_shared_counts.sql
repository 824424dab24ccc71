-- 0026 shared counts: failures that all processes of a deployment count together, for limits that bound guessing.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.

-- Rows are of the platform, whichever tenant the caller is of. The key is a MAC of the limit and what it counts by, so the table holds no name and
-- no address. Deleted by a success under the key, or by the sweep api.delete-shared-counts.
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
