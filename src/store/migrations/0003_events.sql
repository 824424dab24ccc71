-- 0003 events: the audit trail. What is written stays as it was written: the application may insert and read, nothing else.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.
create table audit_entry (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  id            uuid not null,
  at            timestamptz not null,
  actor_kind    text not null check (actor_kind in ('user', 'client', 'system', 'wallet', 'verifier', 'issuer')),
  actor_id      text,
  -- The client that acted for the user after a token exchange.
  acting_client text,
  action        text not null,
  -- Set when the entry is also an event that webhooks and the event stream carry.
  event_type    text,
  subject_kind  text not null,
  subject_id    text,
  result        text not null check (result in ('done', 'refused')),
  ip            text,
  request_id    text,
  -- Ids only, never a claim, a name or a secret.
  detail        jsonb not null,
  primary key (tenant_id, id)
);
create index audit_entry_event on audit_entry (tenant_id, id) where event_type is not null;
select protect_tenant_rows('audit_entry');
revoke update, delete on audit_entry from chirograph_app;
