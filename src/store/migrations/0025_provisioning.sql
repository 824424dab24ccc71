-- 0025 provisioning: tokens by which an identity system provisions users and groups.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.

-- Long-lived tokens of a client, for the SCIM endpoints only. Deleted with the client, when revoked.
create table client_token (
  tenant_id    uuid not null,
  id           uuid not null,
  client_id    text not null,
  token_hash   bytea not null check (octet_length(token_hash) = 32),
  name         text not null check (length(name) between 1 and 200),
  created_at   timestamptz not null,
  expires_at   timestamptz,
  last_used_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id) references client (tenant_id, client_id) on delete cascade
);
create index client_token_client on client_token (tenant_id, client_id, id);
select protect_tenant_rows('client_token');
