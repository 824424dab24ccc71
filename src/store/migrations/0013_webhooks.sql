-- 0013 webhooks: endpoints, their secrets and deliveries.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- Addresses that receive events. era, xact and event_id: the position up to which deliveries exist. A new endpoint is
-- placed at the transaction that inserts it, so it receives the events of later ones.
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
  era             integer not null default event_era(),
  xact            xid8 not null default pg_current_xact_id(),
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
create index webhook_delivery_list on webhook_delivery (tenant_id, endpoint_id, id) where endpoint_id is not null;
create index webhook_delivery_status on webhook_delivery (tenant_id, endpoint_id, status, id)
  where endpoint_id is not null;
create index webhook_delivery_type on webhook_delivery (tenant_id, endpoint_id, event_type, id)
  where endpoint_id is not null;
create index webhook_delivery_ended on webhook_delivery (ended_at) where ended_at is not null;
select protect_tenant_rows('webhook_delivery');
select open_across('webhook_delivery', true);
