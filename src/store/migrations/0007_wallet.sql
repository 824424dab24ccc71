-- 0007 wallet: credentials of holders, the keys they are bound to, presentation requests to holders, and notifications to issuers.
-- Locks: none, the tables are new. Old code runs on it: yes. Way back: drop the six tables.

-- One credential of one user. Its claims are only in its copies, sealed. Cleared by DELETE, with its user and with its tenant.
create table wallet_credential (
  tenant_id         uuid not null references tenant (id) on delete cascade,
  id                uuid not null,
  user_id           uuid not null,
  status            text not null check (status in ('pending', 'accepted', 'rejected')),
  format            text not null check (format in ('vc+sd-jwt')),
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
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index wallet_credential_of_user on wallet_credential (tenant_id, user_id, id);
select protect_tenant_rows('wallet_credential');

-- The credential as the issuer sent it, byte for byte, and the private key that only this copy is bound to. A batch has several
-- copies, so that verifiers cannot link presentations of one holder by their bytes. Cleared with the credential.
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
  primary key (tenant_id, credential_id),
  foreign key (tenant_id, credential_id) references wallet_credential (tenant_id, id) on delete cascade
);
create index wallet_credential_standing_due on wallet_credential_standing (check_at) where check_at is not null;
select protect_tenant_rows('wallet_credential_standing');
select open_across('wallet_credential_standing');

-- A notification that an issuer requested about a credential. Outlives the credential, since its deletion is notified too. `sealed_access`
-- (notification id and access token) is deleted with the row: after the last event, or at drop_at.
create table wallet_notification (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  id            uuid not null,
  credential_id uuid not null,
  endpoint      text not null,
  sealed_access bytea not null,
  told          text check (told in ('credential_accepted')), -- the event that was sent; after `credential_deleted` the row is deleted
  queued_at     timestamptz, -- since when a job is enqueued; null: none is
  -- The lease of the job run that sends (store/lease.ts): one at a time, so that events arrive in order.
  claim         uuid,
  lease_until   timestamptz,
  drop_at       timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, credential_id),
  check ((claim is null) = (lease_until is null))
);
create index wallet_notification_due on wallet_notification (drop_at);
select protect_tenant_rows('wallet_notification');
select open_across('wallet_notification');

-- A credential that its issuer defers. `sealed_work` (transaction, access token, private keys) is deleted with the row: when the credential
-- is received or refused, with its user, or at drop_at.
create table wallet_deferred (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  id          uuid not null,
  user_id     uuid not null,
  sealed_work bytea not null,
  drop_at     timestamptz not null,
  created_at  timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index wallet_deferred_of_user on wallet_deferred (tenant_id, user_id);
create index wallet_deferred_due on wallet_deferred (drop_at);
select protect_tenant_rows('wallet_deferred');
select open_across('wallet_deferred');

-- A presentation request to a user. `sealed_request` is needed for the answer; `sealed_answer` was sent, or is about to be, and may have to be sent
-- again; both are cleared when the status is final. `sealed_view` is what the holder is shown and what is kept of the answer. Cleared with its
-- user and with its tenant.
create table wallet_presentation (
  tenant_id      uuid not null references tenant (id) on delete cascade,
  id             uuid not null,
  user_id        uuid not null,
  status         text not null check (status in ('pending', 'answered', 'rejected', 'expired', 'failed')),
  sealed_request bytea,
  sealed_view    bytea not null,
  -- Set before an answer is sent. While it is set the verifier may have the answer.
  sealed_answer  bytea,
  -- The lease of the call that sends the answer (store/lease.ts).
  claim          uuid,
  lease_until    timestamptz,
  expires_at     timestamptz not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
  check ((sealed_request is null) = (status <> 'pending')),
  check (sealed_answer is null or status = 'pending'),
  check ((claim is null) = (lease_until is null)),
  check (claim is null or sealed_answer is not null)
);
create index wallet_presentation_of_user on wallet_presentation (tenant_id, user_id, id);
create index wallet_presentation_due on wallet_presentation (expires_at) where status = 'pending';
select protect_tenant_rows('wallet_presentation');
select open_across('wallet_presentation');
