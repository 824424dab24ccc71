-- 0010 wallet: credentials of holders, the keys they are bound to, how they look, and those that were removed.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- One credential of one user. Its claims are only in its copies, sealed. Cleared by DELETE, with its user and with its
-- tenant.
create table wallet_credential (
  tenant_id         uuid not null references tenant (id) on delete cascade,
  id                uuid not null,
  user_id           uuid not null,
  status            text not null check (status in ('pending', 'accepted', 'rejected')),
  format            text not null check (format in ('vc+sd-jwt', 'mso_mdoc')),
  -- Of an mdoc: the document type, and the name of the signer in iss.
  vct               text not null check (length(vct) between 1 and 256),
  -- Its other types (`aka_vcts`), so that a request opens only the credentials that may answer it.
  also_types        text[] not null default '{}',
  iss               text check (length(iss) between 1 and 512),
  -- Credential Issuer Identifier and credential configuration it was received from.
  credential_issuer text not null,
  configuration_id  text not null,
  -- SHA-256 (base64url) of the offer it was received for, so that a repeated call finds it.
  offer_hash        text check (length(offer_hash) = 43),
  issued_at         timestamptz not null,
  expires_at        timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  -- What the credential calls its issuer, where another one was proven. Null: it states what was proven, or nothing.
  -- Cleared with the row.
  stated_iss        text,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index wallet_credential_of_user on wallet_credential (tenant_id, user_id, id);
select protect_tenant_rows('wallet_credential');

-- The credential as the issuer sent it, byte for byte, and the private key that only this copy is bound to. A batch has
-- several copies, so that verifiers cannot link presentations of one holder by their bytes. Cleared with the
-- credential.
create table wallet_credential_copy (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  id            uuid not null,
  credential_id uuid not null,
  position      integer not null check (position >= 0),
  sealed_raw    bytea not null,
  sealed_key    bytea, -- PKCS #8; null for a credential without key binding
  used_at       timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, credential_id, position),
  foreign key (tenant_id, credential_id) references wallet_credential (tenant_id, id) on delete cascade
);
select protect_tenant_rows('wallet_credential_copy');

-- The status of each credential that names a status list, as last fetched. Not personal. Cleared with the credential.
create table wallet_credential_standing (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  credential_id uuid not null,
  standing      text not null default 'valid' check (standing in ('valid', 'suspended', 'revoked')),
  check_at      timestamptz, -- when the list is fetched again; null: never, since the credential was revoked
  checked_at    timestamptz, -- null: not since the receipt
  primary key (tenant_id, credential_id),
  foreign key (tenant_id, credential_id) references wallet_credential (tenant_id, id) on delete cascade
);
create index wallet_credential_standing_due on wallet_credential_standing (check_at) where check_at is not null;
select protect_tenant_rows('wallet_credential_standing');
select open_across('wallet_credential_standing');
revoke select (checked_at) on wallet_credential_standing from chirograph_across;

-- What the issuer stated in its metadata, kept at the receipt, so that nothing is fetched when the holder looks. Not
-- personal. Cleared with the credential.
create table wallet_credential_display (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  credential_id uuid not null,
  display       jsonb not null check (octet_length(display::text) <= 131072),
  valid_from    timestamptz not null,
  -- When the sweep looks whether the job that fetches the images is there; null: it has run, or there are none to
  -- fetch.
  images_due_at timestamptz,
  primary key (tenant_id, credential_id),
  foreign key (tenant_id, credential_id) references wallet_credential (tenant_id, id) on delete cascade
);
create index wallet_credential_display_due on wallet_credential_display (images_due_at) where images_due_at is not null;
select protect_tenant_rows('wallet_credential_display');
create policy across_rows on wallet_credential_display for select to chirograph_across
  using (current_user = 'chirograph_across');
grant select (tenant_id, images_due_at) on wallet_credential_display to chirograph_across;

-- Fetched once, at the receipt: no issuer learns when a holder looks. Not personal. Cleared with the credential.
create table wallet_credential_image (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  credential_id uuid not null,
  kind          text not null check (kind in ('logo', 'background')),
  media_type    text not null check (media_type in ('image/png', 'image/jpeg', 'image/svg+xml')),
  bytes         bytea not null check (octet_length(bytes) between 1 and 65536),
  primary key (tenant_id, credential_id, kind),
  foreign key (tenant_id, credential_id) references wallet_credential (tenant_id, id) on delete cascade
);
select protect_tenant_rows('wallet_credential_image');

-- Fetched once, at the receipt, and rewritten: no script, no address. Without values, so not personal. Cleared with the
-- credential.
create table wallet_credential_svg (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  credential_id uuid not null,
  template      text not null check (octet_length(template) between 1 and 131072),
  claims        jsonb not null check (octet_length(claims::text) <= 65536),
  primary key (tenant_id, credential_id),
  foreign key (tenant_id, credential_id) references wallet_credential (tenant_id, id) on delete cascade
);
select protect_tenant_rows('wallet_credential_svg');

-- What is needed to get new copies of a credential that came in a batch. `sealed_work` (tokens, and the keys of a
-- request that was not answered yet) is deleted with the row: when the issuer refuses, at drop_at, or with the
-- credential.
create table wallet_refill (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  -- That of the credential.
  id            uuid not null,
  sealed_work   bytea not null,
  -- Since when a job is enqueued; null: none is.
  queued_at     timestamptz,
  -- The lease of the job run that requests the copies (store/lease.ts).
  claim         uuid,
  lease_until   timestamptz,
  drop_at       timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, id) references wallet_credential (tenant_id, id) on delete cascade,
  check ((claim is null) = (lease_until is null))
);
create index wallet_refill_due on wallet_refill (drop_at);
select protect_tenant_rows('wallet_refill');
select open_across('wallet_refill');

-- That there was a credential. Cleared with its user and with its tenant.
create table wallet_removed_credential (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  -- That of the credential.
  id          uuid not null,
  user_id     uuid not null,
  -- Its type, format and issuer; nothing of what it said. Cleared with the row.
  sealed_view bytea not null,
  -- When it was received.
  created_at  timestamptz not null,
  removed_at  timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index wallet_removed_credential_of_user on wallet_removed_credential (tenant_id, user_id, id);
select protect_tenant_rows('wallet_removed_credential');
