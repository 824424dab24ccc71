-- 0006 sign-in: sessions of people and of the pages, failed sign-ins, one-time links, passkeys, identity providers.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- Sessions of browsers. Deleted when they end, and by the sweep authorization.delete-sign-in when they expire.
create table sign_in_session (
  tenant_id        uuid not null,
  id               uuid not null,
  token_hash       bytea not null check (octet_length(token_hash) = 32),
  user_id          uuid not null,
  created_at       timestamptz not null,
  last_seen_at     timestamptz not null,
  authenticated_at timestamptz not null,
  expires_at       timestamptz not null,
  -- Authentication methods (RFC 8176 amr).
  methods          text[] not null,
  -- Personal data of the device, for the list of sessions: the start of the User-Agent, and the network without the
  -- host.
  user_agent       text not null check (length(user_agent) <= 200),
  network          text not null check (length(network) <= 60),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index sign_in_session_user on sign_in_session (tenant_id, user_id, last_seen_at);
create index sign_in_session_expiry on sign_in_session (expires_at);
create index sign_in_session_idle on sign_in_session (last_seen_at);
select protect_tenant_rows('sign_in_session');
select open_across('sign_in_session', true);

-- What the room shows of its sessions to others. It reads as its caller.
create view live_sign_in_session with (security_invoker) as
  select tenant_id, id from sign_in_session;
grant select on live_sign_in_session to chirograph_app;

-- What was counted under a key: failed sign-ins (of the platform, by name and device or network) and mails (of a
-- tenant, by address). The key is a MAC, so the table holds no name. Deleted by the sweep authorization.delete-sign-in.
create table sign_in_count (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  key           bytea not null check (octet_length(key) = 32),
  count         integer not null,
  blocked_until timestamptz,
  expires_at    timestamptz not null,
  primary key (tenant_id, key)
);
create index sign_in_count_expiry on sign_in_count (expires_at);
select protect_tenant_rows('sign_in_count');
select open_across('sign_in_count', true);

-- Sealed states of a sign-in that were used: challenges of passkeys, choices of an organisation, returns from an
-- identity provider.
create table spent_sign_in_state (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  state_hash bytea not null check (octet_length(state_hash) = 32),
  expires_at timestamptz not null,
  primary key (tenant_id, state_hash)
);
create index spent_sign_in_state_expiry on spent_sign_in_state (expires_at);
select protect_tenant_rows('spent_sign_in_state');
select open_across('spent_sign_in_state', true);

-- Links that sign a person in once. A person has at most one of each purpose; it is deleted when it is used.
create table one_time_link (
  tenant_id  uuid not null,
  id         uuid not null,
  token_hash bytea not null check (octet_length(token_hash) = 32),
  user_id    uuid not null,
  purpose    text not null check (purpose in ('welcome', 'reset', 'owner')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- It was told to the caller who invited, and not mailed.
  is_told    boolean not null default false,
  -- By which way it opens an account (authorization/acting/ways.ts), the roles that its maker could give (null: every
  -- role), and what the account was when it was made.
  way        text not null default 'told_link',
  maker_roles text[] default '{}',
  email_folded text,
  could_sign_in boolean not null default false,
  primary key (tenant_id, id),
  unique (tenant_id, user_id, purpose),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index one_time_link_expiry on one_time_link (expires_at);
select protect_tenant_rows('one_time_link');
select open_across('one_time_link', true);
revoke select (is_told, way, maker_roles, email_folded, could_sign_in) on one_time_link from chirograph_across;

-- Passkeys (WebAuthn credentials). Cleared with the user.
create table passkey (
  tenant_id     uuid not null,
  id            uuid not null,
  user_id       uuid not null,
  credential_id bytea not null check (octet_length(credential_id) between 1 and 1023),
  -- COSE key.
  public_key    bytea not null check (octet_length(public_key) <= 2048),
  counter       bigint not null,
  transports    text[] not null,
  name          text not null check (length(name) between 1 and 100),
  -- Whether it can be copied to other devices of the person.
  is_synced     boolean not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, credential_id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index passkey_user on passkey (tenant_id, user_id, id);
select protect_tenant_rows('passkey');

-- External OpenID providers of a tenant. The secret is sealed, and cleared with the row.
create table identity_provider (
  tenant_id            uuid not null references tenant (id) on delete cascade,
  id                   uuid not null,
  -- Part of the redirect URI.
  name                 text not null check (name ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  display_name         text not null check (length(display_name) between 1 and 200),
  issuer               text not null check (length(issuer) between 1 and 2000),
  client_id            text not null check (length(client_id) between 1 and 500),
  sealed_client_secret bytea,
  scopes               text[] not null,
  -- Names of claims, or JSON pointers to them: {username, email, roles, externalIdentifier}.
  claims               jsonb not null,
  -- {role at the provider: [our roles]}.
  roles                jsonb not null,
  -- Whether a person who is unknown becomes a user.
  creates_users        boolean not null,
  sign_in              boolean not null,
  -- Whether access tokens of the provider are accepted at the API, and the audience that they must have.
  accept_tokens        boolean not null,
  audience             text check (length(audience) between 1 and 2000),
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  -- Whether it decides which user an account or an access token of it is, also of users who use their account already.
  -- Only a caller who may act for users sets it, or the operator.
  names_people         boolean not null default false,
  primary key (tenant_id, id),
  unique (tenant_id, name),
  check (not accept_tokens or audience is not null)
);
create index identity_provider_issuer on identity_provider (issuer) where accept_tokens;
-- Issuer and audience of an external access token name one provider, and so one tenant.
create unique index identity_provider_tokens on identity_provider (issuer, audience) where accept_tokens;
select protect_tenant_rows('identity_provider');
select open_across('identity_provider');

-- Accounts at providers that belong to users. A user has one account at a provider: a second one with the same e-mail
-- address is another person.
create table external_identity (
  tenant_id    uuid not null,
  provider_id  uuid not null,
  subject      text not null check (length(subject) between 1 and 255),
  user_id      uuid not null,
  created_at   timestamptz not null,
  primary key (tenant_id, provider_id, subject),
  unique (tenant_id, user_id, provider_id),
  foreign key (tenant_id, provider_id) references identity_provider (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
select protect_tenant_rows('external_identity');

-- What the OpenID provider of a sign-in stated about the user, while an authorization request waits for it as the
-- source of a credential. Personal data: deleted by the code that the request leads to, with the session, or once
-- expired.
create table sign_in_claims (
  tenant_id        uuid not null,
  session_id       uuid not null,
  -- Of the sign-in that they came with: after another one in the same session they no longer count.
  authenticated_at timestamptz not null,
  sealed_claims    bytea not null,
  expires_at       timestamptz not null,
  primary key (tenant_id, session_id),
  foreign key (tenant_id, session_id) references sign_in_session (tenant_id, id) on delete cascade
);
create index sign_in_claims_expiry on sign_in_claims (expires_at);
select protect_tenant_rows('sign_in_claims');
select open_across('sign_in_claims', true);

-- Ends with the sign-in session that it came from, in every process at once.
create table page_session (
  tenant_id          uuid not null,
  id                 uuid not null,
  token_hash         bytea not null check (octet_length(token_hash) = 32),
  sign_in_session_id uuid not null,
  user_id            uuid not null,
  -- Access, refresh and ID token, and what they are good for.
  sealed_tokens      bytea not null,
  tokens_until       timestamptz not null,
  -- A process is exchanging the refresh token until then.
  refreshing_until   timestamptz,
  -- A form that arrived after the session had been idle for too long; kept for the same user's next session. Personal
  -- data.
  sealed_draft       bytea,
  created_at         timestamptz not null,
  last_seen_at       timestamptz not null,
  expires_at         timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, sign_in_session_id) references sign_in_session (tenant_id, id) on delete cascade
);
create index page_session_sign_in on page_session (tenant_id, sign_in_session_id);
create index page_session_expiry on page_session (expires_at);
select protect_tenant_rows('page_session');
select open_across('page_session', true);

-- Where people return after a sign-in, if the path is too long for a cookie.
create table kept_path (
  tenant_id   uuid not null,
  id          uuid not null,
  token_hash  bytea not null check (octet_length(token_hash) = 32),
  -- A link with an offer or a request, or the answer of an issuer. Personal data; deleted an hour after it expired, at
  -- most.
  sealed_path bytea not null check (octet_length(sealed_path) <= 20480),
  expires_at  timestamptz not null,
  primary key (tenant_id, id)
);
create index kept_path_expiry on kept_path (expires_at);
select protect_tenant_rows('kept_path');
select open_across('kept_path', true);
