-- 0002 directory: the people of a tenant and the clients that act for it.
-- Locks: none, the tables are new. Old code runs on it: yes. Way back: drop the tables.

-- A tenant is inserted in its own transaction, together with its audit entry; row-level security admits no other row.
grant insert on tenant to chirograph_app;

-- Look-up keys are stored folded (NFC, lower case) by the application, because lower() of the database depends on its locale. Collation "C": their
-- order, which lists and ranges have, is the same in every database.
-- Personal data; cleared when the user is deleted, or with the tenant.
create table user_account (
  tenant_id           uuid not null references tenant (id) on delete cascade,
  id                  uuid not null,
  username            text not null check (length(username) between 1 and 255),
  username_folded     text collate "C" not null check (length(username_folded) between 1 and 510),
  email               text check (length(email) between 3 and 320),
  email_folded        text collate "C" check (length(email_folded) between 3 and 640),
  first_name          text check (length(first_name) <= 200),
  last_name           text check (length(last_name) <= 200),
  first_name_folded   text collate "C",
  last_name_folded    text collate "C",
  -- The name that an identity system shows, when it is not first and last name.
  display_name        text check (length(display_name) <= 400),
  display_name_folded text collate "C",
  -- The name that is shown: without one of its own, first and last name, else the username.
  shown_name_folded   text collate "C" not null generated always as (
    coalesce(display_name_folded, first_name_folded || ' ' || last_name_folded, first_name_folded, last_name_folded, username_folded)) stored,
  email_type          text check (length(email_type) <= 40),
  external_identifier text collate "C" check (length(external_identifier) between 1 and 255),
  enabled             boolean not null,
  -- Roles of the user alone; those of the groups come on top.
  roles               text[] not null default '{}',
  -- Hash of a password; only people who use our own sign-in pages have one.
  password_hash       text,
  -- When the user was deleted: no look-up finds the row from then on, and a job destroys it with the wallet when the time of grace is over.
  deleted_at          timestamptz,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  -- Incremented with every change, so that a caller can tell whether the row is still the one it read.
  version             integer not null default 1,
  primary key (tenant_id, id),
  check ((email is null) = (email_folded is null))
);
-- A deleted user occupies no name. With the id a list of ids is read from the index alone.
create unique index user_account_username on user_account (tenant_id, username_folded) include (id) where deleted_at is null;
create unique index user_account_email on user_account (tenant_id, email_folded) include (id) where deleted_at is null;
create unique index user_account_external_identifier on user_account (tenant_id, external_identifier) include (id) where deleted_at is null;
create index user_account_with_roles on user_account (tenant_id, id) where roles <> '{}' and deleted_at is null;
create index user_account_deleted on user_account (tenant_id, id) where deleted_at is not null;
select protect_tenant_rows('user_account');

-- Groups of users. A group gives its roles to its members.
create table user_group (
  tenant_id           uuid not null references tenant (id) on delete cascade,
  id                  uuid not null,
  display_name        text not null check (length(display_name) between 1 and 255),
  display_name_folded text collate "C" not null check (length(display_name_folded) between 1 and 510),
  external_identifier text collate "C" check (length(external_identifier) between 1 and 255),
  roles               text[] not null default '{}',
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  version             integer not null default 1,
  primary key (tenant_id, id)
);
create unique index user_group_display_name on user_group (tenant_id, display_name_folded);
create unique index user_group_external_identifier on user_group (tenant_id, external_identifier);
select protect_tenant_rows('user_group');

create table user_group_member (
  tenant_id uuid not null,
  group_id  uuid not null,
  user_id   uuid not null,
  primary key (tenant_id, group_id, user_id),
  foreign key (tenant_id, group_id) references user_group (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index user_group_member_user on user_group_member (tenant_id, user_id);
select protect_tenant_rows('user_group_member');

-- The id of a client is unique on the whole platform: at the token endpoint nothing else identifies the tenant.
create table client (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  -- Orders the list of clients; a client is named by client_id everywhere else.
  id          uuid not null,
  client_id   text not null unique check (length(client_id) between 1 and 200),
  name        text check (length(name) between 1 and 200),
  scopes      text[] not null,
  -- Roles give scopes to the client itself, as they do to a user.
  roles       text[] not null default '{}',
  grant_types text[] not null default '{client_credentials,urn:ietf:params:oauth:grant-type:token-exchange}',
  -- Redirect URIs of the authorization endpoint, compared exactly (loopback: without the port).
  redirect_uris             text[] not null default '{}',
  post_logout_redirect_uris text[] not null default '{}',
  backchannel_logout_uri    text,
  -- A client of a native app or a browser: it authenticates with nothing but its code verifier.
  is_public                 boolean not null default false,
  -- Whether people are asked before the client gets a token for them.
  asks_consent              boolean not null default true,
  dpop_required             boolean not null default false,
  par_required              boolean not null default false,
  -- {"keys": [public JWK]}, which verify its assertions (private_key_jwt); null for a client with a secret.
  jwks        jsonb,
  -- Where the client publishes its keys, instead of jwks.
  jwks_uri    text,
  last_used_at timestamptz,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  disabled_at timestamptz,
  primary key (tenant_id, client_id),
  unique (tenant_id, id)
);
select protect_tenant_rows('client');
select open_across('client');
