-- 0030 issuance sessions: credentials for which a holder signs in at the issuer; the key of the wallet provider.
-- Locks: a moment on signing_key (a check is recreated). Old code runs on it: yes, it uses none of it.
-- Way back: delete from signing_key where usage = 'wallet-provider'; restore the check of 0010; drop the table.

alter table signing_key drop constraint signing_key_usage_check;
alter table signing_key add constraint signing_key_usage_check
  check (usage in ('credential', 'request', 'access-token', 'id-token', 'wallet-provider', 'ca', 'leaf'));

-- One authorization of a wallet at an issuer. Deleted a day after it began; cleared with its user and with its tenant.
create table wallet_issuance_session (
  tenant_id      uuid not null references tenant (id) on delete cascade,
  id             uuid not null,
  user_id        uuid not null,
  -- redeeming: the one callback that uses the code is at work. deferred: credentials come later.
  status         text not null check (status in ('pending', 'redeeming', 'completed', 'deferred', 'failed')),
  -- SHA-256 of the parameter `state`.
  state_hash     bytea not null check (octet_length(state_hash) = 32),
  -- The servers, code verifier and client key. Secret; cleared when the callback has taken it, or the session has expired.
  sealed_work    bytea,
  -- Digest by which the order and the credentials of this session are found.
  offer_hash     text not null check (length(offer_hash) = 43),
  credential_issuer text not null,
  credential_ids uuid[] not null default '{}',
  -- {code, message}, as returned to the caller.
  error          jsonb,
  expires_at     timestamptz not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
  check ((status = 'failed') = (error is not null)),
  check (sealed_work is null or status = 'pending')
);
create index wallet_issuance_session_user on wallet_issuance_session (tenant_id, user_id, id);
create index wallet_issuance_session_created on wallet_issuance_session (created_at);
create index wallet_issuance_session_open on wallet_issuance_session (expires_at) where status in ('pending', 'redeeming');
select protect_tenant_rows('wallet_issuance_session');
select open_across('wallet_issuance_session');
