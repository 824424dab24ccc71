-- 0026 recovery: what tells an older state of the database from the one that was served last.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.

-- One row. A server writes the number that it got into its recovery mark, outside the database: a database that has not counted that far
-- is an older state. A number of our own, because transaction ids and timelines do not survive a dump.
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
