-- 0037 tables of people: what a batch is called, and tables that are checked before they are issued.
-- Locks: issuance_batch for a moment; the tables are new. Old code runs on it: yes. Way back: drop the tables and the column.

-- Given by the caller, for people.
alter table issuance_batch add column name text check (length(name) between 1 and 200);

-- A table that a person is checking. Deleted an hour after its last use, with its parts.
create table table_draft (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  id          uuid not null,
  user_id     uuid not null,
  -- What the table is called, how it was read, which column means what, and the problems of its rows. Personal data.
  sealed_view bytea not null,
  -- The file as it came, compressed, so that it can be read in another way. Personal data. Null for a workbook.
  sealed_source bytea,
  -- Sealed bytes of source, view and parts when it came, for the bound of a person and of a tenant.
  bytes       integer not null check (bytes > 0),
  -- Changes with every change. While rows are being issued nothing else changes.
  revision    integer not null default 1,
  is_issuing  boolean not null default false,
  -- Until then one request issues them; afterwards another one may finish it.
  issuing_until timestamptz,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  primary key (tenant_id, id)
);
create index table_draft_user on table_draft (tenant_id, user_id, created_at);
create index table_draft_expiry on table_draft (expires_at);
select protect_tenant_rows('table_draft');
select open_across('table_draft', true);

-- Up to 1,000 rows of the table. Personal data.
create table table_draft_part (
  tenant_id   uuid not null,
  draft_id    uuid not null,
  position    smallint not null check (position between 0 and 9),
  sealed_rows bytea not null,
  primary key (tenant_id, draft_id, position),
  foreign key (tenant_id, draft_id) references table_draft (tenant_id, id) on delete cascade
);
select protect_tenant_rows('table_draft_part');
