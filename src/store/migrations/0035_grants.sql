-- 0035 grants: what a client got is bound to the instance of it that a client attestation vouches for; claims of a provider as attributes.
-- Locks: pushed_request, authorization_code and token_family while columns are added (no rewrite); the new table none. Old code runs on it: yes,
-- it binds nothing. Way back: drop the columns and the table.

-- Thumbprint of the key of the client instance (`cnf` of its client attestation); null: the client authenticated otherwise.
alter table pushed_request add column instance_jkt text;
alter table authorization_code add column instance_jkt text;
alter table token_family add column instance_jkt text;
grant select (instance_jkt) on pushed_request to chirograph_across;
grant select (instance_jkt) on authorization_code to chirograph_across;
grant select (instance_jkt) on token_family to chirograph_across;

-- What the OpenID provider of a sign-in stated about the user, while an authorization request waits for it as the source of a credential.
-- Personal data: deleted by the code that the request leads to, with the session, or once expired.
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
