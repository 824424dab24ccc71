-- 0018 deliveries: credentials and presentation requests that an organisation delivers to the wallets of its users.
-- Locks: a moment on wallet_deferred. Old code runs on it: yes, with the new column null; a delivery whose credential it fetches stays open.
-- Way back: drop the column and the table.

-- One delivery to one user. Cleared with its user and with its tenant.
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
  -- The payload (offer and transaction code, or request); secret, sealed. Cleared once it is ordered, delivered or failed.
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
create index wallet_delivery_status on wallet_delivery (tenant_id, status, id);
create index wallet_delivery_kind on wallet_delivery (tenant_id, kind, id);
create index wallet_delivery_user on wallet_delivery (tenant_id, user_id, id);
create index wallet_delivery_issuance on wallet_delivery (tenant_id, issuance_id, id) where issuance_id is not null;
select protect_tenant_rows('wallet_delivery');
select open_across('wallet_delivery');

-- The delivery that a credential is fetched for; null: the holder accepted the offer.
alter table wallet_deferred add column delivery_id uuid;
