-- 0016 deployment: what tells an older state from the one served last, the bootstrap file, distribution.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- One row. A server writes the number that it got into its recovery mark, outside the database: a database that has not
-- counted that far is an older state. A number of our own, because transaction ids and timelines do not survive a dump.
create table deployment (
  is_only     boolean primary key default true check (is_only),
  id          uuid not null,
  beat        bigint not null check (beat >= 0),
  -- The last `chirograph recover`, and the time of the backup that it was told.
  restored_at timestamptz,
  restored_to timestamptz
);
insert into deployment (id, beat) values (gen_random_uuid(), 0);
grant select, update on deployment to chirograph_across;

create table applied_bootstrap (
  -- There is one row at most.
  id     integer primary key check (id = 1),
  -- HMAC of the file with its secrets, under a key of the platform: without that key nobody can try secrets. Null until
  -- it is applied as a whole.
  digest text
);
grant select, insert, update on applied_bootstrap to chirograph_across;

-- Foreign keys inside a tenant and grants on views, which stand in the way while the tables become distributed ones. A
-- row is deleted in the transaction that puts its statement back, so an interrupted run is resumed by the next one.
-- Empty on one PostgreSQL.
create table distribution_remainder (
  position  integer primary key,
  statement text not null
);
-- Servers look whether it is empty.
grant select on distribution_remainder to chirograph_app, chirograph_across;

-- Adds a foreign key to a table, e.g. add_reference('addition', 'foreign key (tenant_id, user_id) references
-- user_account (tenant_id, id)'). On a distributed database it is left to `chirograph distribute`, which servers wait
-- for anyway: a table that is not distributed yet cannot refer to one that is.
create function add_reference(name text, definition text) returns void language plpgsql as $$
declare
  command text := format('alter table %I add %s', name, definition);
begin
  if to_regclass('pg_dist_partition') is not null then
    if exists (select from pg_dist_partition where partmethod = 'h') and not exists (select from pg_dist_partition where logicalrelid = name::regclass and partmethod = 'h') then
      insert into distribution_remainder (position, statement)
      select coalesce(max(position), 0) + 1, command from distribution_remainder;
      return;
    end if;
  end if;
  execute command;
end $$;
