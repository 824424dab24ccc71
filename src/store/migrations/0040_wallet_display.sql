-- 0040 wallet display: how the credentials of a wallet look and when they are valid, the images of their issuers, when their status was last
-- checked, and which credentials a presentation sent.
-- Locks: wallet_credential_standing and wallet_presentation for a moment, since the new columns have constant defaults. Old code runs on it:
-- yes. Way back: drop the tables and columns.

-- What the issuer stated in its metadata, kept at the receipt, so that nothing is fetched when the holder looks. Not personal. Cleared with
-- the credential.
create table wallet_credential_display (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  credential_id uuid not null,
  display       jsonb not null check (octet_length(display::text) <= 131072),
  valid_from    timestamptz not null,
  primary key (tenant_id, credential_id),
  foreign key (tenant_id, credential_id) references wallet_credential (tenant_id, id) on delete cascade
);
select protect_tenant_rows('wallet_credential_display');

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

-- null: not since the receipt.
alter table wallet_credential_standing add column checked_at timestamptz;

-- The credentials of the answer that was sent, so that the history can be filtered; the rest of the answer is sealed.
alter table wallet_presentation add column credential_ids uuid[] not null default '{}';

-- Whom an entry notifies, as its detail says: a user lists and streams these alone. Null for all others, so the index is small and issuing pays
-- nothing for it. Under row-level security an expression over the detail could not be searched by an index.
alter table audit_entry add column notified_user text;
create index audit_entry_notified on audit_entry (tenant_id, notified_user, era, xact, id) where notified_user is not null;
