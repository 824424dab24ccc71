-- 0023 shared links: presentations that holders put behind a link, for people without a verifier.
-- Locks: none, the table is new. Old code runs on it: it does not name the table. Way back: drop the table.

-- One link to one presentation. The row stays for the history of the holder when the link has ended: deleted after
-- HISTORY_RETENTION_DAYS, with its user, and with its tenant.
create table wallet_shared_link (
  tenant_id            uuid not null references tenant (id) on delete cascade,
  id                   uuid not null,
  user_id              uuid not null,
  -- Of the wallet; it may be removed since.
  credential_id        uuid not null,
  -- SHA-256 of the secret in the address; the secret itself is never stored. Cleared when the link ends.
  secret_hash          bytea check (octet_length(secret_hash) = 32),
  -- Recipient, purpose, and the names of what is shared. Personal data; cleared with the row.
  sealed_view          bytea not null,
  -- The presentation and its nonce, encrypted by the secret in the address, and sealed. Cleared when the link ends.
  sealed_presentation  bytea,
  views                integer not null default 0 check (views >= 0),
  viewed_at            timestamptz,
  -- The hours in which it was viewed, the first 100, and how often in each.
  view_hours           timestamptz[] not null default '{}' check (cardinality(view_hours) <= 100),
  view_counts          integer[] not null default '{}' check (cardinality(view_counts) = cardinality(view_hours)),
  expires_at           timestamptz not null,
  -- When its holder, the removal of its credential or its time ended it.
  ended_at             timestamptz,
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  primary key (tenant_id, id),
  check ((secret_hash is null) = (ended_at is not null)),
  check ((sealed_presentation is null) = (ended_at is not null))
);
select add_reference('wallet_shared_link', 'foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade');
create index wallet_shared_link_of_user on wallet_shared_link (tenant_id, user_id, id);
create index wallet_shared_link_credential on wallet_shared_link (tenant_id, credential_id, id) where credential_id is not null;
create index wallet_shared_link_due on wallet_shared_link (expires_at) where ended_at is null;
select protect_tenant_rows('wallet_shared_link');
select open_across('wallet_shared_link');
