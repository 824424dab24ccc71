-- 0007 trust: the X.509 side of a tenant: its roots, what they signed, what it had signed elsewhere, its revocation
-- lists; and the issuers and verifiers that it trusts. Locks: none, everything is new. Old code runs on it: there is
-- none. Way back: none, it is part of the baseline.

create table certificate (
  tenant_id      uuid not null references tenant (id) on delete cascade,
  id             uuid not null,
  type           text not null check (type in ('issuerRoot', 'verifierRoot', 'issuerSignCredential', 'verifierSignRequest')),
  kind           text not null check (kind in ('issuer', 'verifier')),
  key_type       text not null check (key_type in ('P-256', 'Ed25519')),
  -- root: one of our own. automatic: a leaf that a root signs for the tenant. request: for a key of a signing request
  -- of the tenant. foreign: signed by a root of the tenant for an external key.
  origin         text not null check (origin in ('root', 'automatic', 'request', 'foreign')),
  -- Whether the tenant signs with it. Expiry, and the status of its root, are derived on reading.
  status         text not null check (status in ('pendingActivation', 'active', 'inactive', 'revoked')),
  -- The root of the tenant that signed it.
  parent_id      uuid,
  -- The key in signing_key; null if external.
  key_id         uuid,
  der            bytea not null,
  -- PEM of the certificates above an imported one, nearest first.
  chain          text not null default '',
  subject_key_id bytea not null,
  serial         bytea not null,
  sign_mdl       boolean not null,
  not_before     timestamptz not null,
  not_after      timestamptz not null,
  -- When its successor is due; of automatic ones.
  renew_at       timestamptz,
  revoked_at     timestamptz,
  -- How many days before its end the last warning was for.
  warned_days    smallint,
  -- When its private key is to be destroyed: some time after it was replaced or revoked, or at its expiry. null:
  -- destroyed.
  destroy_key_at timestamptz,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, parent_id) references certificate (tenant_id, id) on delete cascade,
  check ((origin = 'root') = (type in ('issuerRoot', 'verifierRoot'))),
  check ((kind = 'issuer') = (type in ('issuerRoot', 'issuerSignCredential'))),
  check (origin <> 'root' or parent_id is null),
  check (origin not in ('automatic', 'foreign') or parent_id is not null),
  check ((origin = 'automatic') = (renew_at is not null)),
  check ((origin = 'foreign') = (key_id is null)),
  check ((status = 'revoked') = (revoked_at is not null)),
  check (not_before < not_after)
);
-- One signs for each kind and key type: a root by its leaf, or a certificate that came by a signing request.
create unique index certificate_signer on certificate (tenant_id, kind, key_type)
  where status = 'active' and origin in ('root', 'request');
create unique index certificate_leaf on certificate (tenant_id, parent_id)
  where status = 'active' and origin = 'automatic';
-- RFC 5280 4.1.2.2: unique for each root. What others signed has no parent here.
create unique index certificate_serial on certificate (tenant_id, parent_id, serial) where parent_id is not null;
-- A root never signs a key twice. Of what it signs the identifier is computed from the key.
create unique index certificate_key on certificate (tenant_id, parent_id, subject_key_id) where parent_id is not null;
create index certificate_end on certificate (not_after) where status = 'active' and origin in ('root', 'request');
create index certificate_key_end on certificate (destroy_key_at) where destroy_key_at is not null;
create index certificate_active_roots on certificate (tenant_id, id) where status = 'active' and origin = 'root';
create index certificate_type on certificate (tenant_id, type, id);
create index certificate_key_type on certificate (tenant_id, key_type, id);
create index certificate_status on certificate (tenant_id, status, id);
create index certificate_order_of_end on certificate (tenant_id, not_after, id);
select protect_tenant_rows('certificate');
select open_across('certificate');
grant select (der) on certificate to chirograph_across;

create table certificate_signing_request (
  tenant_id      uuid not null references tenant (id) on delete cascade,
  id             uuid not null,
  type           text not null check (type in ('issuerSignCredential', 'verifierSignRequest')),
  key_type       text not null check (key_type in ('P-256', 'Ed25519')),
  country        text not null check (country ~ '^[A-Z]{2}$'),
  sign_mdl       boolean not null,
  status         text not null check (status in ('open', 'completed', 'expired')),
  -- The key in signing_key; null once it was destroyed because the request expired.
  key_id         uuid,
  der            bytea not null,
  subject_key_id bytea not null,
  certificate_id uuid,
  expires_at     timestamptz not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, certificate_id) references certificate (tenant_id, id) on delete cascade deferrable initially deferred,
  check ((status = 'completed') = (certificate_id is not null)),
  check (key_id is not null or status = 'expired')
);
create index signing_request_end on certificate_signing_request (expires_at)
  where status <> 'completed' and key_id is not null;
create index signing_request_key on certificate_signing_request (tenant_id, subject_key_id);
create index signing_request_type on certificate_signing_request (tenant_id, type, id);
create index signing_request_key_type on certificate_signing_request (tenant_id, key_type, id);
create index signing_request_status on certificate_signing_request (tenant_id, status, id);
select protect_tenant_rows('certificate_signing_request');
select open_across('certificate_signing_request');

-- The revocation list of each root. It is stale when revision, which grows with each revocation, is ahead of
-- issued_revision.
create table certificate_revocation_list (
  tenant_id       uuid not null references tenant (id) on delete cascade,
  certificate_id  uuid not null,
  revision        integer not null default 0,
  issued_revision integer,
  -- RFC 5280 5.2.3: grows with each list.
  number          integer not null default 0,
  der             bytea,
  next_update     timestamptz,
  -- When the next list is due; null: never again, the root has expired.
  reissue_at      timestamptz,
  primary key (tenant_id, certificate_id),
  foreign key (tenant_id, certificate_id) references certificate (tenant_id, id) on delete cascade,
  check ((der is null) = (issued_revision is null) and (der is null) = (next_update is null))
);
create index revocation_list_due on certificate_revocation_list (reissue_at) where reissue_at is not null;
select protect_tenant_rows('certificate_revocation_list');
select open_across('certificate_revocation_list');

-- What HAIP 1.0 demands of the attestations of this deployment's wallets and their keys: one root, which tenants and
-- other issuers trust, and a certificate for each attesting key, of which there are about four a year.
create table wallet_provider_certificate (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  -- 'root', or the thumbprint of the key.
  subject    text not null check (length(subject) between 1 and 64),
  der        bytea not null check (octet_length(der) between 1 and 4096),
  -- The key of the root, in signing_key.
  key_id     uuid,
  created_at timestamptz not null,
  primary key (tenant_id, subject),
  check ((subject = 'root') = (key_id is not null))
);
select protect_tenant_rows('wallet_provider_certificate');

-- Issuers and verifiers that a tenant trusts, by DID, by certificate or by issuer address.
create table trusted_entity (
  tenant_id    uuid not null references tenant (id) on delete cascade,
  id           uuid not null,
  name         text not null check (length(name) between 1 and 200),
  -- [{did, name?}]
  dids         jsonb not null check (jsonb_typeof(dids) = 'array'),
  -- PEM, normalized.
  certificates jsonb not null check (jsonb_typeof(certificates) = 'array'),
  -- https identifiers of issuers.
  issuers      jsonb not null check (jsonb_typeof(issuers) = 'array'),
  purposes     text[] not null check (purposes <@ array['issuer', 'verifier', 'status', 'attester']),
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  -- Extended key usages of its signers: object identifiers, or none for certificates without; empty: the usual ones.
  signer_usages text[] not null default '{}',
  primary key (tenant_id, id)
);
create index trusted_entity_did on trusted_entity using gin (dids jsonb_path_ops);
create index trusted_entity_name on trusted_entity (tenant_id, name, id);
select protect_tenant_rows('trusted_entity');
