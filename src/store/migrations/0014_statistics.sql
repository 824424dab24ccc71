-- 0014 statistics: figures by template and month, by day and in total, counted from the audit trail.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- Metrics by template and month in UTC. A sweep counts them from the audit trail up to the position below, so that
-- issuing writes nothing more.
create table event_count (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  template_id uuid not null,
  month       date not null check (extract(day from month) = 1),
  -- The metric: issuance.completed, presentation.verified.
  figure      text not null,
  count       bigint not null,
  primary key (tenant_id, month, template_id, figure)
);
select protect_tenant_rows('event_count');

-- Metrics by template and day in UTC, counted with event_count. Cleared by the same statement when older than 400 days.
create table event_day_count (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  template_id uuid not null,
  day         date not null,
  figure      text not null,
  count       bigint not null,
  primary key (tenant_id, day, template_id, figure)
);
select protect_tenant_rows('event_day_count');

-- Metrics of all time and all templates, so that the overview reads a dozen rows.
create table event_total (
  tenant_id uuid not null references tenant (id) on delete cascade,
  figure    text not null,
  count     bigint not null,
  primary key (tenant_id, figure)
);
select protect_tenant_rows('event_total');

-- Issued credentials that were not revoked, by the day in UTC on which their validity ends; infinity: they have no end.
create table credential_end_count (
  tenant_id uuid not null references tenant (id) on delete cascade,
  ends_on   date not null,
  count     bigint not null,
  primary key (tenant_id, ends_on)
);
select protect_tenant_rows('credential_end_count');

create table event_count_position (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  era       integer not null,
  xact      xid8 not null,
  event_id  uuid not null,
  -- The time of the last counted event.
  at        timestamptz not null
);
select protect_tenant_rows('event_count_position');
select open_across('event_count_position');
