-- 0003 events: the audit trail. The application may insert and read entries, and change nothing but what 0016 grants.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table. There is no foreign key to
-- the tenant, which each insert would have to lock; 0021 removes the rows.
create domain audit_actor_kind as text check (value in ('user', 'client', 'system', 'wallet', 'verifier', 'issuer'));
create domain audit_result as text check (value in ('done', 'refused'));
create table audit_entry (
  tenant_id     uuid not null,
  -- A UUID of version 7 with the time of "at", so that reads by time go along the ids.
  id            uuid not null,
  at            timestamptz not null,
  actor_kind    audit_actor_kind not null,
  actor_id      text,
  -- The client that acted for the user after a token exchange.
  acting_client text,
  action        text not null,
  -- Set when the entry is also an event that webhooks and the event stream carry.
  event_type    text,
  subject_kind  text not null,
  subject_id    text,
  result        audit_result not null,
  ip            text,
  request_id    text,
  -- Ids only, never a claim, a name or a secret.
  detail        jsonb not null,
  primary key (tenant_id, id)
) partition by range (id);
-- A table for each month comes from 0034. This one has the entries of servers whose clock is wrong, and those of a month without a table.
create table audit_entry_rest partition of audit_entry default;
alter table audit_entry_rest enable row level security;
alter table audit_entry_rest force row level security;
create index audit_entry_event on audit_entry (tenant_id, id) where event_type is not null;
create index audit_entry_subject on audit_entry (tenant_id, subject_id, id) where subject_id is not null;
create index audit_entry_actor on audit_entry (tenant_id, actor_id, id) where actor_id is not null;
-- Without the frequent actions, which are found soon by reading along the ids and would pay for the index each time.
create index audit_entry_action on audit_entry (tenant_id, action, id) where action not in
  ('openid4vc.issuance.offered', 'openid4vc.issuance.completed', 'openid4vc.verification.requested', 'openid4vc.verification.verified');
select protect_tenant_rows('audit_entry');
revoke update, delete on audit_entry from chirograph_app;
