-- 0011 trusted entities: issuers and verifiers that a tenant trusts, by DID, by certificate or by issuer address.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.

create table trusted_entity (
  tenant_id    uuid not null references tenant (id) on delete cascade,
  id           uuid not null,
  name         text not null check (length(name) between 1 and 200),
  -- [{did, name?}]
  dids         jsonb not null check (jsonb_typeof(dids) = 'array'),
  -- PEM, normalized.
  certificates jsonb not null check (jsonb_typeof(certificates) = 'array'),
  -- https identifiers of issuers.
  issuers      jsonb not null check (jsonb_typeof(issuers) = 'array'),
  purposes     text[] not null check (purposes <@ array['issuer', 'verifier', 'status', 'attester']),
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (tenant_id, id)
);
create index trusted_entity_did on trusted_entity using gin (dids jsonb_path_ops);
select protect_tenant_rows('trusted_entity');
