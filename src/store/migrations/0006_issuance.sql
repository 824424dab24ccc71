-- 0006 issuance: credential templates, issuances from offer to credential, status lists.
-- Locks: none, the tables are new. Old code runs on it: yes. Way back: drop the tables; issued credentials can then no longer be revoked.

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

-- One row an offer, with its one credential, whose id is computed from that of the issuance. Codes are derived from the id and not stored; tokens and keys are stored as hashes. An id carries
-- the time of created_at, so a range of time is a range of ids.
--
-- Redeeming and issuing update a row without a new entry in any index (HOT): the pages leave room for it, and what these updates change is in
-- no index and in no condition of one. There is no foreign key to the tenant, which each insert would have to lock; 0021 removes the rows.
create domain issuance_status as text check (value in ('offered', 'partiallyIssued', 'completed', 'failed', 'expired', 'canceled'));
create domain credential_status as text check (value in
  ('offered', 'deferred', 'issued', 'accepted', 'rejected', 'failed', 'expired', 'suspended', 'revoked'));
create domain caller_reference as text check (length(value) between 1 and 200);
create domain tries_left as smallint check (value >= 0);
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
  -- Personal data: the claims, sealed. Cleared when the issuance is canceled or locked, when the wallet reports a rejection, and by the sweep
  -- when the offer, or its access token, has ended.
  sealed_claims     bytea,
  expires_at        timestamptz not null,
  -- When the sweep handles the row: when the offer ends, or a token for which it is redeemed at once. The sweep postpones it while the claims
  -- are needed, so that an early redemption need not change it.
  sweep_at          timestamptz not null,
  -- HMAC of the transaction code under a key of the tenant.
  tx_code_mac       sha256_digest,
  tx_tries_left     tries_left not null default 5,
  -- Token hash of the last attempt with a wrong transaction code: its repetition after a lost answer costs no further try.
  tx_wrong_attempt  sha256_digest,
  redeemed_at       timestamptz,
  -- The token response named the credential by its identifier, so the request must too.
  identified        boolean not null default false,
  token_hash        sha256_digest, -- SHA-256 of the secret in the token, which is not stored
  token_expires_at  timestamptz,
  -- SHA-256 over the thumbprints of the holder's keys: a repeated request with the same keys gets the same copies, other keys none.
  holder_keys_hash  sha256_digest,
  issued_at         timestamptz,
  -- The entries of the credential's copies in a status list, in the order of the holder's keys. Null until it is issued, and for a credential
  -- that cannot be revoked.
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
  primary key (tenant_id, id),
  check ((token_hash is null) = (redeemed_at is null) and (token_hash is null) = (token_expires_at is null)),
  check (holder_keys_hash is null or redeemed_at is not null),
  check ((status_list_id is null) = (status_indices is null)),
  check (sealed_claims is null or (status <> 'expired' and status <> 'canceled'))
) with (fillfactor = 70);
create index issuance_sweep on issuance (sweep_at, tenant_id) where sealed_claims is not null;
-- For lists only: the condition keeps statements that look for an id away from it (see 0021).
create index issuance_template on issuance (tenant_id, template_id, id) where template_id is not null;
create index issuance_ended on issuance (tenant_id, ended, id) where ended is not null;
create index issuance_reference on issuance (tenant_id, reference, id) where reference is not null;
select protect_tenant_rows('issuance');
select open_across('issuance');
grant select (sealed_claims) on issuance to chirograph_across;

-- A list of 2^17 entries. The rows of status_entry are the taken entries; there is no counter.
create table status_list (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  id         uuid not null,
  created_at timestamptz not null,
  -- When it was closed to new entries. It stays published.
  full_at    timestamptz,
  primary key (tenant_id, id)
);
create unique index status_list_open on status_list (tenant_id) where full_at is null;
select protect_tenant_rows('status_list');

-- The taken entries of status lists: one for each signed copy of a credential. The row is the allocation: no two copies can have one entry.
create domain status_index as integer check (value between 0 and 131071);
create table status_entry (
  tenant_id      uuid not null,
  status_list_id uuid not null,
  status_index   status_index not null,
  primary key (status_list_id, status_index, tenant_id)
);
select protect_tenant_rows('status_entry');

-- Nonces of accepted proofs, kept until they would have expired. made_at is part of the nonce.
create table spent_nonce (
  tenant_id  uuid not null,
  nonce_hash sha256_digest not null,
  made_at    timestamptz not null,
  primary key (made_at, nonce_hash, tenant_id)
);
select protect_tenant_rows('spent_nonce');
select open_across('spent_nonce', true);
