-- 0005 authorization: client assertions spent at the token endpoint of the platform.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.

-- jti of the client assertions that were accepted (RFC 7523), kept until they expire.
create table spent_assertion (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  client_id  text not null,
  jti_hash   bytea not null check (octet_length(jti_hash) = 32),
  expires_at timestamptz not null,
  primary key (tenant_id, client_id, jti_hash)
);
create index spent_assertion_expiry on spent_assertion (expires_at);
select protect_tenant_rows('spent_assertion');
select open_across('spent_assertion', true);
