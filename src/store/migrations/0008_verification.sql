-- 0008 verification: presentation templates, and the requests made from them with their results.
-- Locks: none, both tables are new. Old code runs on it: yes. Way back: drop both tables.

create table presentation_template (
  tenant_id         uuid not null references tenant (id) on delete cascade,
  id                uuid not null,
  name              text not null,
  description       text not null,
  -- json, not jsonb: keeps the order of the attributes, in which wallets receive them.
  credentials       json not null,
  verifier_config   json,
  -- How long results are stored; null: the default of the code.
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
  -- Part of the request object, which is public to anyone with its URL, so no secrets; single use like the request.
  nonce              text not null,
  state              text not null,
  -- Copied from the template when the request is created.
  credentials        json not null,
  verifier_config    json,
  retention_seconds  integer not null,
  redirect_uri       text,
  -- SHA-256 of the code that the holder's browser receives with redirect_uri; the code itself is never stored.
  response_code_hash bytea check (octet_length(response_code_hash) = 32),
  -- Codes and messages, no claims.
  error              jsonb,
  -- Sealed verified claims and findings; cleared at result_until by the schedule verification.clear-results.
  result             bytea,
  result_until       timestamptz,
  -- The lease of the process that checks a response; expired: that process has died and the request is open again.
  claim              uuid,
  lease_until        timestamptz,
  -- The claim that completed the request, so that its statement may be repeated.
  completed_by       uuid,
  expires_at         timestamptz not null,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, template_id) references presentation_template (tenant_id, id),
  check ((claim is null) = (lease_until is null)),
  check ((status = 'answering') = (claim is not null)),
  check ((result is null) = (result_until is null))
);
create index presentation_request_template on presentation_request (tenant_id, template_id, id);
create index presentation_request_reference on presentation_request (tenant_id, reference, id) where reference is not null;
create index presentation_request_due on presentation_request (expires_at) where status in ('requested', 'answering');
create index presentation_request_result on presentation_request (result_until) where result is not null;
select protect_tenant_rows('presentation_request');
-- The schedules select the tenants that have due rows.
select open_across('presentation_request');
grant select (result) on presentation_request to chirograph_across;
