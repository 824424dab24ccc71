-- 0012 verification: presentation templates, the requests made from them with their results, and pages for visitors.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

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
create index presentation_template_name on presentation_template (tenant_id, name, id) where archived_at is null;
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
  -- Client identifier with its prefix; null: the did:web of the tenant.
  client_id          text,
  -- The certificate whose key signs the request object, also after its renewal. null: an unsigned request, or one that
  -- is signed with the key of the tenant.
  signer_id          uuid,
  -- Sealed; what the holder authorizes. Cleared with the final status: answered, canceled or by the schedule
  -- verification.expire-requests.
  transaction_data   bytea,
  -- Web origins and protocols for the Digital Credentials API of browsers; null: not for browsers.
  digital_credentials jsonb,
  -- SHA-256 of what the organisation named the session of the browser in which the flow began; null: no session.
  browser_session_hash bytea check (octet_length(browser_session_hash) = 32),
  -- When the response was accepted: updated_at moves on when claims are erased. Not personal.
  completed_at       timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, template_id) references presentation_template (tenant_id, id),
  check ((claim is null) = (lease_until is null)),
  check ((status = 'answering') = (claim is not null)),
  check ((result is null) = (result_until is null)),
  foreign key (tenant_id, signer_id) references certificate (tenant_id, id),
  check (transaction_data is null or status in ('requested', 'answering')),
  constraint presentation_request_signer check (signer_id is null or client_id is not null)
);
create index presentation_request_template on presentation_request (tenant_id, template_id, id)
  where template_id is not null;
create index presentation_request_reference on presentation_request (tenant_id, reference, id)
  where reference is not null;
create index presentation_request_due on presentation_request (expires_at) where status in ('requested', 'answering');
create index presentation_request_result on presentation_request (result_until) where result is not null;
create index presentation_request_status on presentation_request (tenant_id, status, id) where status is not null;
select protect_tenant_rows('presentation_request');
select open_across('presentation_request');
revoke select (client_id, signer_id, digital_credentials, completed_at) on presentation_request from chirograph_across;
grant select (result) on presentation_request to chirograph_across;

-- A page of an organisation on which visitors show credentials.
create table verification_page (
  tenant_id            uuid not null references tenant (id) on delete cascade,
  id                   uuid not null,
  name                 text not null check (length(name) between 1 and 200),
  template_id          uuid not null,
  -- Of the sites that may embed the page and call its API.
  origins              text[] not null check (cardinality(origins) <= 20),
  heading              text check (length(heading) between 1 and 200),
  explanation          text check (length(explanation) between 1 and 1000),
  visitor_sees         text not null check (visitor_sees in ('verdict', 'receipt')),
  -- Where the browser of the visitor is led with the response code; null: nowhere.
  redirect_uri         text,
  requests_per_minute  integer not null check (requests_per_minute between 1 and 600),
  requests_per_address integer not null check (requests_per_address between 1 and 60),
  expires_in_seconds   integer not null check (expires_in_seconds between 60 and 3600),
  is_open              boolean not null,
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  -- Whether visitors may answer with another device; null: by the profile of the organisation.
  another_device       boolean,
  primary key (tenant_id, id),
  foreign key (tenant_id, template_id) references presentation_template (tenant_id, id)
);
-- A path names the page alone: it is found by its id before its tenant is known. Ids are random, so the index need not
-- be unique, which no index of a distributed table is without the tenant.
create index verification_page_id on verification_page (id);
create index verification_page_name on verification_page (tenant_id, name, id);
select protect_tenant_rows('verification_page');
select open_across('verification_page');
revoke select (another_device) on verification_page from chirograph_across;

-- A presentation request that a visitor began. It outlives the page, and is cleared with the request.
create table verification_visit (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  request_id  uuid not null,
  page_id     uuid not null,
  -- SHA-256 of the secret of the visitor's browser; the secret itself is never stored.
  secret_hash sha256_digest not null,
  created_at  timestamptz not null,
  -- When the browser that began the request came back with its response code.
  returned_at timestamptz,
  primary key (tenant_id, request_id),
  foreign key (tenant_id, request_id) references presentation_request (tenant_id, id) on delete cascade
);
-- The sweep that deletes what visitors began a day later finds the rows by their time.
create index verification_visit_created on verification_visit (created_at);
select protect_tenant_rows('verification_visit');
select open_across('verification_visit');
revoke select (returned_at) on verification_visit from chirograph_across;
