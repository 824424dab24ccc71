-- 0017 repeated requests and lists: the answers to requests with an Idempotency-Key, and an index for each filter of the lists.
-- Locks: building an index blocks writers of its table, for a second or two per million rows. Old code runs on it: yes, it uses
-- neither. Way back: drop the table and the indexes.

-- One row for each key of a caller, from the first attempt until a day after its answer.
create table kept_answer (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  -- SHA-256 over caller and key.
  key_hash      bytea not null check (octet_length(key_hash) = 32),
  -- SHA-256 over method, path and body.
  request_hash  bytea not null check (octet_length(request_hash) = 32),
  -- The attempt that has claimed the key; another takes over when its lease has expired.
  claim         uuid,
  lease_until   timestamptz,
  -- Of the first attempt. Ids of created resources are derived from it, so that a second attempt creates nothing twice.
  started_at    timestamptz not null,
  attempts      integer not null default 1,
  answered_at   timestamptz,
  -- May contain personal data and secrets that are shown once. Cleared with the row, by the sweep http.forget-answers. null once answered: the
  -- answer was too large to keep.
  sealed_answer bytea check (octet_length(sealed_answer) <= 2097152),
  expires_at    timestamptz not null,
  primary key (tenant_id, key_hash),
  check (sealed_answer is null or answered_at is not null),
  check (claim is null or answered_at is null),
  check ((claim is null) = (lease_until is null))
);
create index kept_answer_expiry on kept_answer (expires_at);
select protect_tenant_rows('kept_answer');
select open_across('kept_answer', true);
grant select (key_hash) on kept_answer to chirograph_across;

-- Lists are read along an index: (tenant, what is filtered or sorted by, id). What is not here has one already, and the lists of a wallet are
-- read along the index of its user, since a wallet is small.
create index presentation_request_status on presentation_request (tenant_id, status, id);
create index user_account_disabled on user_account (tenant_id, id) where not enabled;
create index credential_template_name on credential_template (tenant_id, name, id);
create index credential_template_archived on credential_template (tenant_id, id) where archived_at is not null;
create index presentation_template_name on presentation_template (tenant_id, name, id) where archived_at is null;
create index trusted_entity_name on trusted_entity (tenant_id, name, id);
create index certificate_type on certificate (tenant_id, type, id);
create index certificate_key_type on certificate (tenant_id, key_type, id);
create index certificate_status on certificate (tenant_id, status, id);
create index certificate_order_of_end on certificate (tenant_id, not_after, id);
create index signing_request_type on certificate_signing_request (tenant_id, type, id);
create index signing_request_key_type on certificate_signing_request (tenant_id, key_type, id);
create index signing_request_status on certificate_signing_request (tenant_id, status, id);
