-- 0008 verification: presentation templates, and the requests made from them with their results.
-- Locks: none, both tables are new. Old code runs on it: yes. Way back: drop both tables.

create table presentation_template (
  tenant_id         uuid not null references tenant (id) on delete cascade,
  id                uuid not null,
  name              text not null,
  description       text not null,
  -- json, not jsonb: the order of the attributes is that of the organisation and goes to wallets.
  credentials       json not null,
  verifier_config   json,
  -- How long results are kept; null: the default of the code.
  retention_seconds integer check (retention_seconds > 0),
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  archived_at       timestamptz,
  primary key (tenant_id, id)
);
select protect_tenant_rows('presentation_template');

create table presentation_request (
  tenant_id          uuid not null references tenant (id) on delete cascade,
  id                 uuid not null,
  template_id        uuid not null,
  status             text not null check (status in ('requested', 'answering', 'verified', 'rejected', 'failed', 'expired')),
  reference          text,
  -- In the request object that anybody with its address reads, so no secrets; both are single use like the request.
  nonce              text not null,
  state              text not null,
  -- The template as it was when the request was made.
  credentials        json not null,
  verifier_config    json,
  retention_seconds  integer not null,
  redirect_uri       text,
  -- SHA-256 of the code that goes back to the user's browser with redirect_uri; the code itself is never stored.
  response_code_hash bytea check (octet_length(response_code_hash) = 32),
  -- Codes and sentences, no claims.
  error              jsonb,
  -- Sealed. What was verified; cleared at result_until by the schedule verification.clear-results.
  result             bytea,
  result_until       timestamptz,
  -- Since when a process checks an answer. Older than a minute: that process is gone and the request is open again.
  claimed_at         timestamptz,
  -- Which check that is, or which one ended the request.
  claim              uuid,
  expires_at         timestamptz not null,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, template_id) references presentation_template (tenant_id, id),
  check ((status = 'answering') = (claimed_at is not null)),
  check ((result is null) = (result_until is null))
);
create index presentation_request_template on presentation_request (tenant_id, template_id, id);
create index presentation_request_reference on presentation_request (tenant_id, reference, id) where reference is not null;
create index presentation_request_due on presentation_request (expires_at) where status in ('requested', 'answering');
create index presentation_request_result on presentation_request (result_until) where result is not null;
select protect_tenant_rows('presentation_request');
-- The schedules look for tenants with something due.
select open_across('presentation_request');
grant select (result) on presentation_request to chirograph_across;
