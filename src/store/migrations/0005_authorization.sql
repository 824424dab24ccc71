-- 0005 authorization: JWTs that are accepted once, spent at the platform.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.

-- jti of client assertions (RFC 7523) and DPoP proofs (RFC 9449) that were accepted, kept until they expire.
create table spent_jti (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  -- The client of an assertion; "dpop " and the thumbprint of its key for a proof. No client id contains a space.
  signer     text not null,
  jti_hash   bytea not null check (octet_length(jti_hash) = 32),
  expires_at timestamptz not null,
  primary key (tenant_id, signer, jti_hash)
);
create index spent_jti_expiry on spent_jti (expires_at);
select protect_tenant_rows('spent_jti');
select open_across('spent_jti', true);
-- open_across grants no bytea column, and the sweep deletes in pieces by the key.
grant select (jti_hash) on spent_jti to chirograph_across;
