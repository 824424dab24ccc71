-- 0004 jobs: work that outlives a request, and the sweeps that one process at a time does.
-- Locks: none, the tables are new. Old code runs on it: yes. Way back: drop the tables once the queue is empty.

-- A row lives until its job is done. Jobs that belong to no organisation are the platform tenant's.
create table job (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  id         uuid not null,
  name       text not null,
  payload    jsonb not null, -- ids only
  run_at     timestamptz not null,
  attempts   integer not null default 0,
  -- Which run holds it, and when another worker may take it over, because this one must have died.
  claim      uuid,
  lease_until timestamptz,
  last_error text,
  -- Given up after its last attempt; kept for the operator, removed by a sweep.
  dead_at    timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  check ((claim is null) = (lease_until is null))
);
create index job_due on job (run_at) where dead_at is null;
create index job_dead on job (dead_at) where dead_at is not null;
select protect_tenant_rows('job');
select open_across('job', true);

-- One row a sweep. The process that takes the lease does it.
create table schedule (
  name        text primary key,
  next_run_at timestamptz not null,
  claim       uuid,
  lease_until timestamptz,
  last_run_at timestamptz,
  last_error  text,
  check ((claim is null) = (lease_until is null))
);
alter table schedule enable row level security;
alter table schedule force row level security;
select open_across('schedule', true);
