-- 0011 wallet exchanges: credentials to come, presentation requests to holders, what issuers and browsers are told.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- One authorization of a wallet at an issuer. Deleted a day after it began; cleared with its user and with its tenant.
create table wallet_issuance_session (
  tenant_id      uuid not null references tenant (id) on delete cascade,
  id             uuid not null,
  user_id        uuid not null,
  -- redeeming: the one callback that uses the code is at work. deferred: credentials come later.
  status         text not null check (status in ('pending', 'redeeming', 'completed', 'deferred', 'failed')),
  -- SHA-256 of the parameter `state`.
  state_hash     bytea not null check (octet_length(state_hash) = 32),
  -- The servers, code verifier and client key. Secret; cleared when the callback has taken it, or the session has
  -- expired.
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
create index wallet_issuance_session_open on wallet_issuance_session (expires_at)
  where status in ('pending', 'redeeming');
select protect_tenant_rows('wallet_issuance_session');
select open_across('wallet_issuance_session');

-- A credential that is still to come: one that its issuer defers, or one that is being requested at this moment, so
-- that a process which dies loses none. `sealed_work` (transaction, access token, private keys) is deleted with the
-- row: when the credential is received or refused, with its user, or at drop_at.
create table wallet_deferred (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  id          uuid not null,
  user_id     uuid not null,
  sealed_work bytea not null,
  drop_at     timestamptz not null,
  created_at  timestamptz not null,
  -- The lease of the call or job run that requests it (store/lease.ts). A row with an expired lease gets a job.
  claim       uuid,
  lease_until timestamptz,
  -- Digest (SHA-256, base64url) of the offer that led to it: a call that repeats the offer finds the order by it. Null
  -- for what the issuer deferred.
  offer_hash  text check (length(offer_hash) = 43),
  -- The delivery that it is fetched for; null: the holder accepted the offer.
  delivery_id uuid,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
  constraint wallet_deferred_lease check ((claim is null) = (lease_until is null))
);
create index wallet_deferred_of_user on wallet_deferred (tenant_id, user_id);
create index wallet_deferred_due on wallet_deferred (drop_at);
create index wallet_deferred_lease on wallet_deferred (lease_until) where lease_until is not null;
create index wallet_deferred_offer on wallet_deferred (tenant_id, user_id, offer_hash) where offer_hash is not null;
select protect_tenant_rows('wallet_deferred');
select open_across('wallet_deferred');
revoke select (claim, offer_hash, delivery_id) on wallet_deferred from chirograph_across;

-- One delivery of a credential or a presentation request, by an organisation, to the wallet of one of its users.
-- Cleared with its user and with its tenant.
create table wallet_delivery (
  tenant_id        uuid not null references tenant (id) on delete cascade,
  id               uuid not null,
  user_id          uuid not null,
  kind             text not null check (kind in ('credential', 'presentation')),
  -- deferred: the issuer defers (the rest of) the credentials.
  status           text not null check (status in ('delivering', 'deferred', 'delivered', 'failed')),
  -- The identifier of the user in the request, and its type: personal, sealed.
  identifier_type  text not null check (identifier_type in ('email', 'username', 'externalIdentifier')),
  sealed_recipient bytea not null,
  -- The payload (offer and transaction code, or request); secret, sealed. Cleared once it is ordered, delivered or
  -- failed.
  sealed_parcel    bytea,
  -- The lease of the call or job run that delivers (store/lease.ts).
  claim            uuid,
  lease_until      timestamptz,
  -- Number of its rows in wallet_deferred: while there are any, they end it.
  awaited          integer not null default 0 check (awaited >= 0),
  -- The issuance of the same tenant that was created for this delivery.
  issuance_id      uuid,
  credential_ids   uuid[] not null default '{}',
  -- Chosen at the start, so that a second attempt creates no second one.
  presentation_id  uuid,
  -- {code, message}, as returned to the caller.
  error            jsonb,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
  check ((kind = 'presentation') = (presentation_id is not null)),
  check (sealed_parcel is null or (status = 'delivering' and awaited = 0)),
  check ((status in ('delivering', 'deferred')) = (sealed_parcel is not null or awaited > 0)),
  check ((claim is null) = (lease_until is null)),
  check (claim is null or sealed_parcel is not null)
);
create index wallet_delivery_lease on wallet_delivery (lease_until) where lease_until is not null;
create index wallet_delivery_status on wallet_delivery (tenant_id, status, id) where status is not null;
create index wallet_delivery_kind on wallet_delivery (tenant_id, kind, id) where kind is not null;
create index wallet_delivery_user on wallet_delivery (tenant_id, user_id, id) where user_id is not null;
create index wallet_delivery_issuance on wallet_delivery (tenant_id, issuance_id, id) where issuance_id is not null;
select protect_tenant_rows('wallet_delivery');
select open_across('wallet_delivery');

-- A presentation request to a user. `sealed_request` is needed for the answer; `sealed_answer` was sent, or is about to
-- be, and may have to be sent again; both are cleared when the status is final. `sealed_view` is what the holder is
-- shown and what is kept of the answer. Cleared with its user and with its tenant.
create table wallet_presentation (
  tenant_id      uuid not null references tenant (id) on delete cascade,
  id             uuid not null,
  user_id        uuid not null,
  status         text not null check (status in ('pending', 'answered', 'rejected', 'expired', 'failed')),
  sealed_request bytea,
  sealed_view    bytea not null,
  -- Set before an answer is sent. While it is set the verifier may have the answer.
  sealed_answer  bytea,
  -- The lease of the call that sends the answer (store/lease.ts).
  claim          uuid,
  lease_until    timestamptz,
  expires_at     timestamptz not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  -- The credentials of the answer that was sent, so that the history can be filtered; the rest of the answer is sealed.
  credential_ids uuid[] not null default '{}',
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
  check ((sealed_request is null) = (status <> 'pending')),
  check (sealed_answer is null or status = 'pending'),
  check ((claim is null) = (lease_until is null)),
  check (claim is null or sealed_answer is not null)
);
create index wallet_presentation_of_user on wallet_presentation (tenant_id, user_id, id);
create index wallet_presentation_due on wallet_presentation (expires_at) where status = 'pending';
select protect_tenant_rows('wallet_presentation');
select open_across('wallet_presentation');
revoke select (credential_ids) on wallet_presentation from chirograph_across;

-- A notification that an issuer requested about a credential. Outlives the credential, since its deletion is notified
-- too. `sealed_access` (notification id and access token) is deleted with the row: after the last event, or at drop_at.
create table wallet_notification (
  tenant_id     uuid not null references tenant (id) on delete cascade,
  id            uuid not null,
  credential_id uuid not null,
  endpoint      text not null,
  sealed_access bytea not null,
  told          text check (told in ('credential_accepted')), -- the event that was sent; after `credential_deleted` the row is deleted
  queued_at     timestamptz, -- since when a job is enqueued; null: none is
  -- The lease of the job run that sends (store/lease.ts): one at a time, so that events arrive in order.
  claim         uuid,
  lease_until   timestamptz,
  drop_at       timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, credential_id),
  check ((claim is null) = (lease_until is null))
);
create index wallet_notification_due on wallet_notification (drop_at);
-- A sweep finds the late ones whose job a crash has lost.
create index wallet_notification_queued on wallet_notification (queued_at) where queued_at is not null;
select protect_tenant_rows('wallet_notification');
select open_across('wallet_notification');

-- At most 10 a user. Deleted when the push service says that it is gone, after three messages that failed, when all
-- sessions of the user are ended, when the user deletes the wallet, and with the user.
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
