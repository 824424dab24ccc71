-- 0044 svg templates: what draws a credential as its type wants it.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.

-- Fetched once, at the receipt, and rewritten: no script, no address. Without values, so not personal. Cleared with the credential.
create table wallet_credential_svg (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  credential_id uuid not null,
  template      text not null check (octet_length(template) between 1 and 131072),
  claims        jsonb not null check (octet_length(claims::text) <= 65536),
  primary key (tenant_id, credential_id),
  foreign key (tenant_id, credential_id) references wallet_credential (tenant_id, id) on delete cascade
);
select protect_tenant_rows('wallet_credential_svg');
