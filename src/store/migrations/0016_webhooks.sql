-- 0016 webhooks: events get an order in which none can be overtaken (decision 0009), webhook endpoints, their secrets and deliveries,
-- and the audit trail gets an index for each of its filters.
-- Locks: audit_entry for writing while its indexes are built. Old code runs on it: yes, new columns have defaults; what it records is
-- delivered too. Way back: drop the four tables, event_era and its function, then the columns and indexes of audit_entry.

-- Transaction ids order commits, but a copy of the data in another database server may meet lower ids there. Then a new era begins. One row.
create table event_era (
  era   integer primary key,
  since timestamptz not null
);
insert into event_era (era, since) values (1, now());
grant select on event_era to chirograph_app, chirograph_across;

-- Old rows: all of one transaction, in the order of their ids.
alter table audit_entry add column era integer not null default 1, add column xact xid8 not null default '0';
alter table audit_entry alter column xact set default pg_current_xact_id();

-- Begins an era. As the owner, who alone may change a default; the default is a constant, so recording costs nothing more.
create function begin_event_era(last integer) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  lock table audit_entry in access exclusive mode;
  -- Of two servers that start together one begins it.
  update event_era set era = last + 1, since = now() where era = last;
  if not found then return; end if;
  execute format('alter table audit_entry alter column era set default %s', last + 1);
end $$;
revoke execute on function begin_event_era(integer) from public;
grant execute on function begin_event_era(integer) to chirograph_across;

drop index audit_entry_event;
create index audit_entry_published on audit_entry (tenant_id, era, xact, id) where event_type is not null;
-- Without the frequent actions: see 0003.
create index audit_entry_published_type on audit_entry (tenant_id, event_type, era, xact, id) where event_type is not null and action not in
  ('openid4vc.issuance.offered', 'openid4vc.issuance.completed', 'openid4vc.verification.requested', 'openid4vc.verification.verified');

-- A statement across tenants can see that there are new events, and not their content.
create policy across_rows on audit_entry for select to chirograph_across using (current_user = 'chirograph_across');
grant select (tenant_id, era, xact, id, event_type) on audit_entry to chirograph_across;

-- Addresses of callers are personal data: the job events.forget-addresses clears them after AUDIT_ADDRESS_DAYS. Nothing else of an entry can
-- be changed. until: the last entry of the tenant that was swept.
grant update (ip) on audit_entry to chirograph_app;
create table audit_address_sweep (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  until     uuid not null
);
select protect_tenant_rows('audit_address_sweep');
select open_across('audit_address_sweep');

-- Addresses that receive events. era, xact and event_id: the position up to which deliveries exist.
create table webhook_endpoint (
  tenant_id       uuid not null references tenant (id) on delete cascade,
  id              uuid not null,
  url             text not null check (length(url) between 1 and 2048),
  filter_types    text[] not null, -- empty: every type
  status          text not null check (status in ('active', 'disabled')),
  disabled_reason text check (disabled_reason in ('failing', 'gone', 'manual')),
  disabled_at     timestamptz,
  -- The time since which every attempt has failed.
  failing_since   timestamptz,
  -- Whether its last response was slow: then it is sent one message at a time.
  is_slow         boolean not null default false,
  era             integer not null,
  xact            xid8 not null,
  event_id        uuid not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  primary key (tenant_id, id),
  check ((status = 'disabled') = (disabled_reason is not null) and (status = 'disabled') = (disabled_at is not null))
);
create index webhook_endpoint_active on webhook_endpoint (tenant_id, id) where status = 'active';
select protect_tenant_rows('webhook_endpoint');
select open_across('webhook_endpoint');

-- Signing secrets. ends_at: an earlier one, which still signs until then; a sweep removes it afterwards.
create table webhook_secret (
  tenant_id   uuid not null,
  id          uuid not null,
  endpoint_id uuid not null,
  sealed      bytea not null,
  created_at  timestamptz not null,
  ends_at     timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, endpoint_id) references webhook_endpoint (tenant_id, id) on delete cascade
);
create index webhook_secret_endpoint on webhook_secret (tenant_id, endpoint_id);
create index webhook_secret_end on webhook_secret (ends_at) where ends_at is not null;
select protect_tenant_rows('webhook_secret');
select open_across('webhook_secret', true);

-- One event for one endpoint. The event itself stays in audit_entry.
create table webhook_delivery (
  tenant_id   uuid not null,
  id          uuid not null,
  endpoint_id uuid not null,
  event_id    uuid not null,
  event_type  text not null,
  status      text not null check (status in ('pending', 'delivered', 'dead')),
  -- The time of the next attempt.
  due_at      timestamptz not null,
  -- The attempt that has claimed it, and when another server may take it over.
  claim       uuid,
  lease_until timestamptz,
  -- Of the current run of attempts: their number, and the time of the last one.
  tries       integer not null default 0,
  tried_until timestamptz not null,
  -- [{at, statusCode, error, durationMs}] of the last attempts. Response bodies are not kept.
  attempts    jsonb not null default '[]',
  ended_at    timestamptz,
  created_at  timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, endpoint_id, event_id),
  foreign key (tenant_id, endpoint_id) references webhook_endpoint (tenant_id, id) on delete cascade,
  check ((status = 'pending') = (ended_at is null)),
  check ((claim is null) = (lease_until is null))
);
create index webhook_delivery_due on webhook_delivery (tenant_id, endpoint_id, due_at) where status = 'pending';
create index webhook_delivery_list on webhook_delivery (tenant_id, endpoint_id, id);
create index webhook_delivery_status on webhook_delivery (tenant_id, endpoint_id, status, id);
create index webhook_delivery_type on webhook_delivery (tenant_id, endpoint_id, event_type, id);
create index webhook_delivery_ended on webhook_delivery (ended_at) where ended_at is not null;
select protect_tenant_rows('webhook_delivery');
select open_across('webhook_delivery', true);
