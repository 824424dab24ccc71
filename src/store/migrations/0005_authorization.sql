-- 0005 authorization: JWTs that are accepted once, consent, pushed requests, codes, and the tokens of each code.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

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

-- What a user allowed a client. Kept until the user or the tenant is deleted.
create table consent (
  tenant_id  uuid not null,
  user_id    uuid not null,
  client_id  text not null,
  scopes     text[] not null,
  granted_at timestamptz not null,
  -- The authorization server that it was given at, where alone it counts.
  issuer     text not null,
  primary key (tenant_id, user_id, client_id, issuer),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
select protect_tenant_rows('consent');

-- Pushed authorization requests (RFC 9126), in the tenant of the client. Deleted by the response that they lead to, or
-- once expired.
create table pushed_request (
  tenant_id         uuid not null references tenant (id) on delete cascade,
  id                uuid not null,
  hash              bytea not null check (octet_length(hash) = 32),
  -- The authorization server that it was pushed to.
  issuer            text not null,
  client_id         text not null,
  -- The parameters; sealed, since a login_hint is personal data.
  sealed_parameters bytea not null,
  -- Set at the first use of the request_uri; the sign-in that follows has more time than the client had to use it.
  opened_at         timestamptz,
  expires_at        timestamptz not null,
  -- Thumbprint of the key of the client instance (`cnf` of its client attestation); null: the client authenticated
  -- otherwise.
  instance_jkt      text,
  primary key (tenant_id, id)
);
create index pushed_request_expiry on pushed_request (expires_at);
select protect_tenant_rows('pushed_request');
select open_across('pushed_request', true);

-- Authorization codes, in the tenant of the user. A used code is kept for an hour, so that its second use is detected.
create table authorization_code (
  tenant_id        uuid not null,
  id               uuid not null,
  hash             bytea not null check (octet_length(hash) = 32),
  -- The authorization server that issued it: no other redeems it.
  issuer           text not null,
  client_id        text not null,
  user_id          uuid not null,
  session_id       uuid not null,
  redirect_uri     text not null,
  -- PKCE challenge, S256; null: the client binds the code by a nonce.
  challenge        text,
  scopes           text[] not null,
  nonce            text,
  -- Thumbprint of the DPoP key that must redeem the code.
  dpop_jkt         text,
  authenticated_at timestamptz not null,
  methods          text[] not null,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  used_at          timestamptz,
  -- What was granted besides scopes: the issuance, of a credential issuer.
  details          jsonb,
  -- Thumbprint of the key of the client instance (`cnf` of its client attestation); null: the client authenticated
  -- otherwise.
  instance_jkt     text,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index authorization_code_expiry on authorization_code (expires_at);
create index authorization_code_session on authorization_code (tenant_id, session_id);
select protect_tenant_rows('authorization_code');
select open_across('authorization_code', true);

-- What the redemption of one code brought to a client; it has the id of the code. The refresh token rotates within the
-- row.
create table token_family (
  tenant_id        uuid not null,
  id               uuid not null,
  issuer           text not null,
  client_id        text not null,
  user_id          uuid not null,
  session_id       uuid not null,
  scopes           text[] not null,
  dpop_jkt         text,
  authenticated_at timestamptz not null,
  methods          text[] not null,
  -- Digest of the current refresh token; null: the client got none.
  token_hash       bytea check (octet_length(token_hash) = 32),
  -- Digest of the one before, and when it was replaced: it is accepted for a few seconds more, because answers get
  -- lost.
  previous_hash    bytea check (octet_length(previous_hash) = 32),
  rotated_at       timestamptz,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  -- When it was revoked, or ended because a code or token was used again.
  ended_at         timestamptz,
  -- What was granted besides scopes: the issuance, of a credential issuer.
  details          jsonb,
  -- Thumbprint of the key of the client instance (`cnf` of its client attestation); null: the client authenticated
  -- otherwise.
  instance_jkt     text,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index token_family_expiry on token_family (expires_at);
create index token_family_session on token_family (tenant_id, session_id);
-- What a session brought ends with it: the rows have ended_at until the job deletes them.
create index token_family_ended on token_family (ended_at) where ended_at is not null;
select protect_tenant_rows('token_family');
select open_across('token_family', true);

-- What the room shows of the sessions in which clients got tokens for a user. It reads as its caller.
create view client_session with (security_invoker) as
  select tenant_id, user_id, session_id, client_id from token_family;
grant select on client_session to chirograph_app;

-- The scopes of both, each once.
create function merged_scopes(one text[], other text[]) returns text[] language sql immutable parallel safe as
$$ select array(select unnest(one) union select unnest(other)) $$;
