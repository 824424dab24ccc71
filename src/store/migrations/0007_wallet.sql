-- 0007 wallet: what a holder has, the keys that it is bound to, what was asked of the holder, and what issuers still have to hear.
-- Locks: none, the tables are new. Old code runs on it: yes. Way back: drop the six tables.

-- One credential of one user. What it says stands only in its copies, sealed. Cleared by DELETE, with its user and with its tenant.
create table wallet_credential (
  tenant_id         uuid not null references tenant (id) on delete cascade,
  id                uuid not null,
  user_id           uuid not null,
  status            text not null check (status in ('pending', 'accepted', 'rejected')),
  format            text not null check (format in ('vc+sd-jwt')),
  vct               text not null check (length(vct) between 1 and 256),
  -- Other types that it also has (`aka_vcts`), so that a request opens only the credentials that may answer it.
  also_types        text[] not null default '{}',
  iss               text check (length(iss) between 1 and 512),
  -- Credential Issuer Identifier and configuration that it came from.
  credential_issuer text not null,
  configuration_id  text not null,
  issued_at         timestamptz not null,
  expires_at        timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index wallet_credential_of_user on wallet_credential (tenant_id, user_id, id);
select protect_tenant_rows('wallet_credential');

-- The credential as the issuer sent it, byte for byte, and the private key that this copy alone is bound to. A batch has several
-- copies, so that verifiers cannot tell from the bytes that they met the same holder. Cleared with the credential.
create table wallet_credential_copy (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  id            uuid not null,
  credential_id uuid not null,
  position      integer not null check (position >= 0),
  sealed_raw    bytea not null,
  sealed_key    bytea, -- PKCS #8; null for a credential that is bound to no key
  used_at       timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, credential_id, position),
  foreign key (tenant_id, credential_id) references wallet_credential (tenant_id, id) on delete cascade
);
select protect_tenant_rows('wallet_credential_copy');

-- What the status list of its issuer says of a credential; a row for each that names one. Nothing personal. Cleared with the credential.
create table wallet_credential_standing (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  credential_id uuid not null,
  standing      text not null default 'valid' check (standing in ('valid', 'suspended', 'revoked')),
  check_at      timestamptz, -- when the list is to be asked again; null: never, since it was revoked
  primary key (tenant_id, credential_id),
  foreign key (tenant_id, credential_id) references wallet_credential (tenant_id, id) on delete cascade
);
create index wallet_credential_standing_due on wallet_credential_standing (check_at) where check_at is not null;
select protect_tenant_rows('wallet_credential_standing');
select open_across('wallet_credential_standing');

-- What an issuer asked to be told about a credential. Outlives the credential, since its end is news too. `sealed_access` (notification
-- id and access token) goes with the row: after the last news, or at drop_at.
create table wallet_notification (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  id            uuid not null,
  credential_id uuid not null,
  endpoint      text not null,
  sealed_access bytea not null,
  told          text check (told in ('credential_accepted')), -- what the issuer has heard; after `credential_deleted` the row goes
  queued_at     timestamptz, -- since when a job waits that will look at the credential; null: none does
  -- Which run of the job is telling the issuer, and until when it is not taken for dead: one at a time, so that news arrive in order.
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

-- A credential that its issuer gives later. `sealed_work` (transaction, access token, private keys) goes with the row: when the credential
-- is there, when the issuer refuses it, with its user, or at drop_at.
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

-- What a verifier asked of a user. `sealed_request` is needed for the answer, `sealed_answer` is what was sent, or is about to be, and may have to
-- be sent again; both are cleared when the status is final. `sealed_view` is what the holder is shown and what is kept of the answer. Cleared with
-- its user and with its tenant.
create table wallet_presentation (
  tenant_id      uuid not null references tenant (id) on delete cascade,
  id             uuid not null,
  user_id        uuid not null,
  status         text not null check (status in ('pending', 'answered', 'rejected', 'expired', 'failed')),
  sealed_request bytea,
  sealed_view    bytea not null,
  -- Set before an answer is sent. While it is there the verifier may have the answer.
  sealed_answer  bytea,
  -- Since when a call sends it; null when none does.
  answering_at   timestamptz,
  expires_at     timestamptz not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
  check ((sealed_request is null) = (status <> 'pending')),
  check (sealed_answer is null or status = 'pending'),
  check (answering_at is null or sealed_answer is not null)
);
create index wallet_presentation_of_user on wallet_presentation (tenant_id, user_id, id);
create index wallet_presentation_due on wallet_presentation (expires_at) where status = 'pending';
select protect_tenant_rows('wallet_presentation');
select open_across('wallet_presentation');
