-- 0036 certificates of the wallet provider: what HAIP 1.0 demands of the attestations of this deployment's wallets and their keys.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table; delete from signing_key where usage = 'ca' and
-- tenant_id is that of the platform.

-- One root, which tenants and other issuers trust, and a certificate for each attesting key, of which there are about four a year.
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
