-- 0008 issuance: credential templates, issuances from offer to credential, status lists.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- Incremented with every change to the templates, so that each process detects stale metadata in its cache.
create table template_catalog (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  version   integer not null
);
select protect_tenant_rows('template_catalog');

-- A template is never deleted: its type stays published as long as the tenant exists.
create table credential_template (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  id          uuid not null,
  code        text not null check (code ~ '^[A-Za-z0-9_-]{1,64}$'),
  name        text not null check (length(name) between 1 and 200),
  -- The version for new issuances.
  version     integer not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  archived_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, code)
);
create index credential_template_name on credential_template (tenant_id, name, id);
create index credential_template_archived on credential_template (tenant_id, id) where archived_at is not null;
select protect_tenant_rows('credential_template');

-- One version of a template. Issuances keep the version they were created from.
create table credential_template_version (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  template_id uuid not null,
  version     integer not null,
  -- json, not jsonb: the order of the attributes is the order in which wallets show them.
  definition  json not null,
  created_at  timestamptz not null,
  primary key (tenant_id, template_id, version),
  foreign key (tenant_id, template_id) references credential_template (tenant_id, id) on delete cascade
);
select protect_tenant_rows('credential_template_version');

-- The types that tenants publish: what stands in type metadata and issuer metadata anyway, of active templates. Other
-- tenants find those of a tenant only where it asked to be listed; its own callers always find them. The view reads as
-- its caller, who may read these columns and no other.
create policy published_types on credential_template for select to chirograph_across using (archived_at is null and current_user = 'chirograph_across');
create policy published_types on credential_template_version for select to chirograph_across using (current_user = 'chirograph_across');
grant select (tenant_id, id, code, name, version, created_at, archived_at) on credential_template to chirograph_across;
grant select (tenant_id, template_id, version, definition) on credential_template_version to chirograph_across;
create view current_type with (security_barrier, security_invoker) as
  select t.id, t.tenant_id, t.code, t.name, t.created_at, v.definition ->> 'format' as format, v.definition ->> 'docType' as doc_type,
    v.definition ->> 'description' as description, o.slug as issuer_slug, o.name as issuer_name,
    coalesce(o.settings ->> 'typeListing' = 'listed', false) as is_listed
  from credential_template t
  join credential_template_version v on v.tenant_id = t.tenant_id and v.template_id = t.id and v.version = t.version
  join tenant o on o.id = t.tenant_id
  where t.archived_at is null and o.disabled_at is null;
grant select on current_type to chirograph_across;

create domain issuance_status as text check (value in ('offered', 'partiallyIssued', 'completed', 'failed', 'expired', 'canceled'));
create domain credential_status as text check (value in
  ('offered', 'deferred', 'issued', 'accepted', 'rejected', 'failed', 'expired', 'suspended', 'revoked'));
create domain caller_reference as text check (length(value) between 1 and 200);
create domain tries_left as smallint check (value >= 0);
create domain credential_format as text check (value in ('sd-jwt-vc', 'mdoc'));
create domain credential_standing as text check (value in ('valid', 'suspended', 'revoked'));
create domain issuance_approval as text check (value in ('pending', 'approved', 'denied', 'delivered'));

-- One row an offer, with its one credential, whose id is computed from that of the issuance. Codes are derived from the
-- id and not stored; tokens and keys are stored as hashes. An id carries the time of created_at, so a range of time is
-- a range of ids.
--
-- Redeeming and issuing update a row without a new entry in any index (HOT): the pages leave room for it, and what
-- these updates change is in no index and in no condition of one. There is no foreign key to the tenant, which each
-- insert would have to lock; a trigger of the tenant removes the rows.
create table issuance (
  tenant_id         uuid not null,
  id                uuid not null,
  status            issuance_status not null,
  template_id       uuid not null,
  template_version  integer not null,
  -- The caller's own identifier.
  reference         caller_reference,
  credential_status credential_status not null,
  revocable         boolean not null,
  -- Personal data: the claims, sealed. Cleared when the issuance is canceled or locked, when the wallet reports a
  -- rejection, and by the sweep when the offer, or its access token, has ended.
  sealed_claims     bytea,
  expires_at        timestamptz not null,
  -- When the sweep handles the row: when the offer ends, or a token for which it is redeemed at once. The sweep
  -- postpones it while the claims are needed, so that an early redemption need not change it.
  sweep_at          timestamptz not null,
  -- HMAC of the transaction code under a key of the tenant.
  tx_code_mac       sha256_digest,
  tx_tries_left     tries_left not null default 5,
  -- Token hash of the last attempt with a wrong transaction code: its repetition after a lost answer costs no further
  -- try.
  tx_wrong_attempt  sha256_digest,
  redeemed_at       timestamptz,
  -- The token response named the credential by its identifier, so the request must too.
  identified        boolean not null default false,
  token_hash        sha256_digest, -- SHA-256 of the secret in the token, which is not stored
  token_expires_at  timestamptz,
  -- SHA-256 over the thumbprints of the holder's keys: a repeated request with the same keys gets the same copies,
  -- other keys none.
  holder_keys_hash  sha256_digest,
  issued_at         timestamptz,
  -- The entries of the credential's copies in a status list, in the order of the holder's keys. Null until it is
  -- issued, and for a credential that cannot be revoked.
  status_list_id    uuid,
  status_indices    integer[],
  -- Reservations since the issuance was open, or since the wallet reported a failure.
  reservations      integer not null default 0,
  -- It was completed before by a request whose credential could not be signed.
  reinstated        boolean not null default false,
  -- Recorded notifications of the wallet.
  reports           smallint not null default 0,
  error             jsonb,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  -- Null for most issuances, so its index is small.
  ended             text generated always as (nullif(nullif(status::text, 'offered'), 'completed')) stored,
  -- Of the template, which never changes.
  format            credential_format not null default 'sd-jwt-vc',
  -- The status given by the issuer, separate from the state at the holder (credential_status), which shows again after
  -- a reinstatement. `revoked` is final.
  standing          credential_standing not null default 'valid',
  -- The user who may get the credential by signing in; null: only a wallet that has the pre-authorized code.
  recipient_id      uuid,
  -- The pre-authorized code of the offer is not accepted.
  code_only         boolean not null default false,
  -- The authorization code that it was redeemed by; null: the pre-authorized code, or not redeemed.
  family_id         uuid,
  -- Null: the wallet has not asked for it, or the template needs no approval.
  approval          issuance_approval,
  -- Public keys of the holder, as the wallet proved them; cleared when the credential is delivered or denied.
  deferred_keys     jsonb,
  -- The request that is issuing the approved credential (a lease).
  claim             uuid,
  lease_until       timestamptz,
  -- Null for most issuances and in every step of redeeming and issuing, so these steps stay HOT and the index is small.
  notable           text generated always as (
    case when standing <> 'valid' then standing::text
      when approval = 'pending' and status = 'offered' then 'deferred'
      when credential_status = 'rejected' then 'rejected' end) stored,
  -- The user that it was made for: whose wallet it was delivered to, or who may get it by signing in.
  holder_id         uuid,
  -- When the wallet reported that its holder accepted the credential.
  accepted_at       timestamptz,
  -- Why it was revoked or suspended: one of a few words, never free text. Cleared when it is reinstated.
  status_reason     text check (length(status_reason) between 1 and 40),
  -- Until when the wallet that redeemed a code may get new copies for other keys; null: it may not. The claims are kept
  -- until then.
  refill_until      timestamptz,
  -- How often it did; null: never.
  refills           smallint,
  -- What it is called in lists. Personal data: the values of a few attributes, sealed. Cleared when the offer ends
  -- without a credential; deleted with the row.
  sealed_label      bytea,
  -- When the credential ends. Written when it is issued. Null until then, and for a credential without an end: then the
  -- update that issues stays HOT.
  valid_until       timestamptz,
  -- Null while the wallet may accept the credential, so that the steps of redeeming and issuing stay HOT; those are
  -- found by their claims.
  unaccepted        boolean generated always as (
    case when status = 'completed' and credential_status = 'issued' and sealed_claims is null then true end) stored,
  primary key (tenant_id, id),
  check ((token_hash is null) = (redeemed_at is null) and (token_hash is null) = (token_expires_at is null)),
  check (holder_keys_hash is null or redeemed_at is not null),
  check ((status_list_id is null) = (status_indices is null)),
  check (sealed_claims is null or (status <> 'expired' and status <> 'canceled')),
  constraint issuance_standing check (standing = 'valid' or (revocable and issued_at is not null)),
  constraint issuance_lease check ((claim is null) = (lease_until is null))
) with (fillfactor = 70);
create index issuance_sweep on issuance (sweep_at, tenant_id) where sealed_claims is not null;
-- For lists only: the condition keeps statements that look for an id away from it (README.md).
create index issuance_template on issuance (tenant_id, template_id, id) where template_id is not null;
create index issuance_ended on issuance (tenant_id, ended, id) where ended is not null;
create index issuance_reference on issuance (tenant_id, reference collate "C", id) where reference is not null;
create index issuance_recipient on issuance (tenant_id, recipient_id, template_id, id) where recipient_id is not null;
create index issuance_notable on issuance (tenant_id, notable, id) where notable is not null;
create index issuance_holder on issuance (tenant_id, holder_id, id) where holder_id is not null;
create index issuance_valid_until on issuance (tenant_id, valid_until, id) where valid_until is not null;
create index issuance_unaccepted on issuance (tenant_id, id) where unaccepted;
select protect_tenant_rows('issuance');
select open_across('issuance');
revoke select (format, approval, deferred_keys, claim, lease_until, refills) on issuance from chirograph_across;
grant select (sealed_claims) on issuance to chirograph_across;
create policy removal on issuance to current_user using (tenant_id = current_tenant());

-- A list of 2^17 entries. The rows of status_entry are the taken entries; there is no counter.
create table status_list (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  id         uuid not null,
  created_at timestamptz not null,
  -- When it was closed to new entries. It stays published.
  full_at    timestamptz,
  -- Bits an entry. [MD-10] An mdoc uses lists of one bit, which cannot express a suspension.
  bits       smallint not null default 2 check (bits in (1, 2)),
  -- The authority of the list and its credentials: a root of the tenant, or a certificate from a signing request. null:
  -- a key without a certificate. A verifier accepts a list only from the authority of the credential.
  authority_id uuid,
  -- The key without a certificate that signs the list and its credentials, as their header names it. null: a
  -- certificate.
  kid        text,
  -- Incremented with each change of the bitmap: one small read shows whether a cached list is current.
  version    integer not null default 0,
  -- The list as it is published, byte for byte (Token Status List 4.1). null: every entry is valid, as in most lists.
  bitmap     bit varying,
  -- Entries whose issuance was deleted. The rows of status_entry stay until the list goes, so that no entry is given
  -- twice.
  ended_entries integer not null default 0 check (ended_entries >= 0),
  -- Entries may belong to credentials that a restored database does not know, so the list stays published.
  has_lost_entries boolean not null default false,
  primary key (tenant_id, id)
);
create unique index status_list_open on status_list (tenant_id, bits, authority_id, kid) nulls not distinct
  where full_at is null;
select protect_tenant_rows('status_list');

-- The taken entries of status lists: one for each signed copy of a credential. The row is the allocation: no two copies
-- can have one entry.
create domain status_index as integer check (value between 0 and 131071);
create table status_entry (
  tenant_id      uuid not null,
  status_list_id uuid not null,
  status_index   status_index not null,
  primary key (status_list_id, status_index, tenant_id)
);
select protect_tenant_rows('status_entry');
create policy removal on status_entry to current_user using (tenant_id = current_tenant());

-- Nonces of accepted proofs, kept until they would have expired. made_at is part of the nonce.
create table spent_nonce (
  tenant_id  uuid not null,
  nonce_hash sha256_digest not null,
  made_at    timestamptz not null,
  primary key (made_at, nonce_hash, tenant_id)
);
select protect_tenant_rows('spent_nonce');
select open_across('spent_nonce', true);
create policy removal on spent_nonce to current_user using (tenant_id = current_tenant());
