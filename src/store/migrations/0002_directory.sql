-- 0002 directory: the people of a tenant and the clients that act for it.
-- Locks: none, the tables are new. Old code runs on it: yes. Way back: drop the tables.

-- A tenant is inserted in its own transaction, together with its audit entry; row-level security admits no other row.
grant insert on tenant to chirograph_app;

-- Look-up keys are stored folded (NFC, lower case) by the application, because lower() of the database depends on its locale.
-- Personal data; cleared when the user is deleted, or with the tenant.
create table user_account (
  tenant_id           uuid not null references tenant (id) on delete cascade,
  id                  uuid not null,
  username            text not null check (length(username) between 1 and 255),
  username_folded     text not null check (length(username_folded) between 1 and 510),
  email               text check (length(email) between 3 and 320),
  email_folded        text check (length(email_folded) between 3 and 640),
  first_name          text check (length(first_name) <= 200),
  last_name           text check (length(last_name) <= 200),
  first_name_folded   text,
  last_name_folded    text,
  external_identifier text check (length(external_identifier) between 1 and 255),
  enabled             boolean not null,
  -- scrypt string; only people who use our own sign-in pages have one.
  password_hash       text,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, username_folded),
  unique (tenant_id, email_folded),
  unique (tenant_id, external_identifier),
  check ((email is null) = (email_folded is null))
);
select protect_tenant_rows('user_account');

-- The id of a client is unique on the whole platform: at the token endpoint nothing else identifies the tenant.
create table client (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  client_id   text not null unique check (length(client_id) between 1 and 200),
  scopes      text[] not null,
  -- scrypt string; null for a client that signs its assertions (private_key_jwt).
  secret_hash text,
  -- {"keys": [public JWK]}; null for a client with a secret.
  jwks        jsonb,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  disabled_at timestamptz,
  primary key (tenant_id, client_id),
  check (secret_hash is not null or jwks is not null)
);
select protect_tenant_rows('client');
select open_across('client');
