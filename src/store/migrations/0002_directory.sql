-- 0002 directory: the people of a tenant and the clients that act for it.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- Look-up keys are stored folded (NFC, lower case) by the application, because lower() of the database depends on its
-- locale. Collation "C": their order, which lists and ranges have, is the same in every database. Personal data;
-- cleared when the user is deleted, or with the tenant.
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
  -- When the user was deleted: no look-up finds the row from then on, and a job destroys it with the wallet when the
  -- time of grace is over.
  deleted_at          timestamptz,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  -- Incremented with every change, so that a caller can tell whether the row is still the one it read.
  version             integer not null default 1,
  -- The address was changed by a caller who may not act for the user, and the user has not confirmed it yet: no link
  -- that signs in is mailed to it, and no account at a provider is linked by it, once the user can sign in.
  email_is_new        boolean not null default false,
  -- The last link that was used was told to the caller who invited, and not mailed: who uses the account need not be
  -- whose address it has, so no account at a provider is linked by it.
  opened_by_told_link boolean not null default false,
  -- Changed by a caller who may not act for the user, and not confirmed by the user yet, as email_is_new: once the
  -- account is used, nobody is taken for its user by this value.
  username_is_new     boolean not null default false,
  external_identifier_is_new boolean not null default false,
  -- The address that the user received a link at, or that a provider has verified, in the form in which addresses are
  -- compared. It says something of email only while both are equal, so a change of email need not clear it.
  verified_email_folded text collate "C" check (length(verified_email_folded) between 3 and 640),
  primary key (tenant_id, id),
  check ((email is null) = (email_folded is null))
);
-- A deleted user occupies no name. With the id a list of ids is read from the index alone.
create unique index user_account_username on user_account (tenant_id, username_folded) include (id)
  where deleted_at is null;
create unique index user_account_email on user_account (tenant_id, email_folded) include (id) where deleted_at is null;
create unique index user_account_external_identifier on user_account (tenant_id, external_identifier) include (id)
  where deleted_at is null;
create index user_account_with_roles on user_account (tenant_id, id) where roles <> '{}' and deleted_at is null;
create index user_account_deleted on user_account (tenant_id, id) where deleted_at is not null;
create index user_account_disabled on user_account (tenant_id, id) where not enabled;
-- Sign-in without a named tenant finds people by name in every tenant, the oldest account first.
create index user_account_sign_in_username on user_account (username_folded, created_at)
  where password_hash is not null and enabled and deleted_at is null;
create index user_account_sign_in_email on user_account (email_folded, created_at)
  where password_hash is not null and enabled and deleted_at is null;
-- Every order and filter of the directory is a range of an index, parts of texts too. Row-level security lets only
-- leakproof operators reach an index: comparisons of text, times and ids are, those of arrays and patterns are not. So
-- parts of texts are found by ranges of their pieces, and roles by partial indexes, whose conditions need no operator.
-- The conditions "is not null" exclude no row of a list, and keep an index from serving a look-up by id: see README.md.
create index user_account_updated on user_account (tenant_id, updated_at, id)
  where updated_at is not null and deleted_at is null;
create index user_account_created on user_account (tenant_id, created_at, id)
  where created_at is not null and deleted_at is null;
create index user_account_first_name on user_account (tenant_id, first_name_folded, id)
  where first_name_folded is not null and deleted_at is null;
create index user_account_last_name on user_account (tenant_id, last_name_folded, id)
  where last_name_folded is not null and deleted_at is null;
create index user_account_shown_name on user_account (tenant_id, shown_name_folded, id)
  where shown_name_folded is not null and deleted_at is null;
-- Those without a value, which an order has at its end.
create index user_account_no_first_name on user_account (tenant_id, id)
  where first_name_folded is null and deleted_at is null;
create index user_account_no_last_name on user_account (tenant_id, id)
  where last_name_folded is null and deleted_at is null;
create index user_account_no_email on user_account (tenant_id, id) where email_folded is null and deleted_at is null;
create index user_account_no_external_identifier on user_account (tenant_id, id)
  where external_identifier is null and deleted_at is null;
create index user_account_disabled_username on user_account (tenant_id, username_folded) include (id)
  where not enabled and deleted_at is null;
create index user_account_deleted_username on user_account (tenant_id, username_folded) include (id)
  where deleted_at is not null;
-- The sweep that destroys deleted users after the days of grace finds them by the time of their deletion.
create index user_account_deleted_at on user_account (deleted_at) where deleted_at is not null;
select protect_tenant_rows('user_account');
create policy across_rows on user_account for select to chirograph_across using (current_user = 'chirograph_across');
grant select (tenant_id, id, username_folded, email_folded, password_hash, enabled, deleted_at, created_at) on user_account to chirograph_across;
do $$
declare
  role text;
begin
  foreach role in array array['holder', 'issuer', 'verifier', 'trust-admin', 'user-admin', 'auditor', 'owner'] loop
    execute format('create index %I on user_account (tenant_id, id) where %L = any(roles) and deleted_at is null', 'user_account_role_' || replace(role, '-', '_'), role);
    execute format('create index %I on user_account (tenant_id, username_folded) include (id) where %L = any(roles) and deleted_at is null',
      'user_account_role_' || replace(role, '-', '_') || '_username', role);
  end loop;
end $$;

-- What the directory shows of its tables to other rooms. Views instead of functions, since a function that reads a
-- table cannot run where the rows are on a distributed engine. They read as their caller.
create view active_user with (security_invoker) as
  select tenant_id, id from user_account where enabled and deleted_at is null;
-- What ID tokens say of the e-mail address of a user, for the statement that redeems a code.
create view stated_email with (security_invoker) as
  select tenant_id, id, email, coalesce(verified_email_folded = email_folded, false) as is_verified from user_account;
grant select on active_user, stated_email to chirograph_app;

-- From each place of the texts of a user that are searched by a part, up to seven characters: a part of a text is the
-- beginning of a piece. Personal data, folded as in user_account; made from a user and removed with it by the trigger,
-- also from one that is deleted and not yet destroyed.
create table user_search_piece (
  tenant_id uuid not null,
  piece     text collate "C" not null,
  user_id   uuid not null,
  primary key (tenant_id, piece, user_id)
);
select protect_tenant_rows('user_search_piece');

create function search_pieces(account user_account) returns text[] language sql immutable parallel safe
return array(
  select distinct substr(folded, place, 7)
  from (values (coalesce(account.first_name_folded || ' ' || account.last_name_folded, account.first_name_folded, account.last_name_folded)),
    (account.username_folded), (account.display_name_folded), (account.email_folded)) as texts (folded), generate_series(1, length(folded)) as place);

-- The trigger of users on a distributed engine runs on a part of the table, whose rows have a type of their own, and
-- writes to the part of the pieces on the same node. Elsewhere both tables are whole.
create function index_search_pieces() returns trigger language plpgsql as $$
declare
  old_account user_account;
  new_account user_account;
  before text[] := '{}';
  after  text[] := '{}';
  pieces text := 'user_search_piece';
begin
  -- When a tenant is removed, its pieces go by the trigger of the tenant.
  if tg_op = 'DELETE' and current_tenant() is null then
    return null;
  end if;
  if tg_op <> 'INSERT' then
    old_account := old;
    before := search_pieces(old_account);
  end if;
  if tg_op <> 'DELETE' then
    new_account := new;
    after := search_pieces(new_account);
  end if;
  if tg_table_name <> 'user_account' then
    pieces := shard_name(pieces::regclass, get_shard_id_for_distribution_column(pieces::regclass, coalesce(new_account.tenant_id, old_account.tenant_id)));
  end if;
  if tg_op <> 'INSERT' then
    execute format('delete from %s where tenant_id = $1 and user_id = $2 and piece = any($3) and piece <> all($4)', pieces)
      using old_account.tenant_id, old_account.id, before, after;
  end if;
  if tg_op <> 'DELETE' then
    execute format('insert into %s select $1, piece, $2 from unnest($4) as piece where piece <> all($3)', pieces)
      using new_account.tenant_id, new_account.id, before, after;
  end if;
  return null;
end $$;

create trigger user_search_pieces after insert or delete on user_account for each row execute function index_search_pieces();
create trigger user_search_pieces_changed after update of username_folded, email_folded, first_name_folded, last_name_folded, display_name_folded on user_account
  for each row when (row(old.username_folded, old.email_folded, old.first_name_folded, old.last_name_folded, old.display_name_folded)
    is distinct from row(new.username_folded, new.email_folded, new.first_name_folded, new.last_name_folded, new.display_name_folded))
  execute function index_search_pieces();
create policy removal on user_search_piece to current_user using (tenant_id = current_tenant());

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
  -- Declared by the bootstrap file, which would undo a change at the next start.
  is_of_file  boolean not null default false,
  -- ID tokens are signed with RS256 or ES256, by client.
  id_token_signed_response_alg text not null default 'RS256'
    check (id_token_signed_response_alg in ('RS256', 'ES256')),
  -- A confidential client may bind its codes by the nonce of its ID tokens instead.
  pkce_required boolean not null default true,
  primary key (tenant_id, client_id),
  unique (tenant_id, id),
  constraint client_public_pkce check (pkce_required or not is_public)
);
select protect_tenant_rows('client');
select open_across('client');
revoke select (is_of_file) on client from chirograph_across;

-- A client has at most two valid secrets, so that it can be given a new one while the former one still works.
create table client_secret (
  tenant_id  uuid not null,
  id         uuid not null,
  client_id  text not null,
  -- Made by the server: 32 random bytes, of which the SHA-256 is stored in base64url. From the bootstrap file: a scrypt
  -- string.
  hash       text not null check (length(hash) between 40 and 200),
  is_made    boolean not null,
  created_at timestamptz not null,
  -- When it stops being valid; null: it does not. A secret of the file keeps its row then, so that the file does not
  -- bring it back.
  ends_at    timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id) references client (tenant_id, client_id) on delete cascade
);
create index client_secret_client on client_secret (tenant_id, client_id);
create unique index client_secret_of_file on client_secret (tenant_id, client_id) where not is_made;
select protect_tenant_rows('client_secret');
select open_across('client_secret');

-- Long-lived tokens of a client, by which an identity system provisions users and groups: for the SCIM endpoints only.
-- Deleted with the client, or when revoked.
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
