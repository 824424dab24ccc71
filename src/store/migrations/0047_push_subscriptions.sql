-- 0047 push subscriptions: browsers to which a wallet sends that something waits (RFC 8030).
-- Locks: none, the table is new. Old code runs on it: yes, it sends nothing. Way back: drop the table.

-- At most 10 a user. Deleted when the push service says that it is gone, after three messages that failed, when all sessions of the user are
-- ended, when the user deletes the wallet, and with the user.
create table wallet_push_subscription (
  tenant_id           uuid not null references tenant (id) on delete cascade,
  id                  uuid not null,
  user_id             uuid not null,
  -- SHA-256 of the endpoint: a browser has one row, that of the user who agreed last.
  endpoint_hash       bytea not null check (octet_length(endpoint_hash) = 32),
  -- Endpoint and keys. Personal data: the endpoint names a browser.
  sealed_target       bytea not null,
  -- Language of the message, as in `languages` of the pages.
  language            text not null check (length(language) between 2 and 35),
  -- Since when a job is enqueued; null: none is.
  queued_at           timestamptz,
  -- The next message is sent then at the earliest.
  not_before          timestamptz not null,
  -- Messages in succession that could not be sent.
  failures            smallint not null default 0,
  sent_at             timestamptz,
  created_at          timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create unique index wallet_push_subscription_endpoint on wallet_push_subscription (tenant_id, endpoint_hash);
create index wallet_push_subscription_user on wallet_push_subscription (tenant_id, user_id, created_at);
select protect_tenant_rows('wallet_push_subscription');
