-- 0004 jobs: work that outlives a request, and the sweeps that one process at a time runs.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- A row is deleted when its job is done. Jobs without an organisation belong to the platform tenant.
create table job (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  id         uuid not null,
  name       text not null,
  payload    jsonb not null, -- ids only
  run_at     timestamptz not null,
  attempts   integer not null default 0,
  -- The run that has claimed it, and when another worker may take it over.
  claim      uuid,
  lease_until timestamptz,
  last_error text,
  -- Dead after its last attempt; kept for the operator, deleted by a sweep.
  dead_at    timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  check ((claim is null) = (lease_until is null))
);
create index job_due on job (run_at) where dead_at is null;
create index job_dead on job (dead_at) where dead_at is not null;
select protect_tenant_rows('job');
select open_across('job', true);

-- One row for each sweep. The process that acquires the lease runs it.
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
