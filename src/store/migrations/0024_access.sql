-- 0024 access: the secrets of clients, and which provider an external access token is of.
-- Locks: none, the tables are new. Old code runs on it: yes. Way back: drop the table and the index.

-- A client has at most two valid secrets, so that it can be given a new one while the former one still works.
create table client_secret (
  tenant_id  uuid not null,
  id         uuid not null,
  client_id  text not null,
  -- Made by the server: 32 random bytes, of which the SHA-256 is stored in base64url. From the bootstrap file: a scrypt string.
  hash       text not null check (length(hash) between 40 and 200),
  is_made    boolean not null,
  created_at timestamptz not null,
  -- When it stops being valid; null: it does not. A secret of the file keeps its row then, so that the file does not bring it back.
  ends_at    timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id) references client (tenant_id, client_id) on delete cascade
);
create index client_secret_client on client_secret (tenant_id, client_id);
create unique index client_secret_of_file on client_secret (tenant_id, client_id) where not is_made;
select protect_tenant_rows('client_secret');
select open_across('client_secret');

-- Issuer and audience of an external access token name one provider, and so one tenant.
create unique index identity_provider_tokens on identity_provider (issuer, audience) where accept_tokens;
