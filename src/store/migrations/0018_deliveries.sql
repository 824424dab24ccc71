-- 0018 deliveries: what an organisation puts into the wallets of its people, from the call until it is there or has failed.
-- Locks: a moment on wallet_deferred. Old code runs on it: yes, it leaves the new column null, and a credential of a delivery that it brings
-- home lies in the wallet while its delivery stays open. Way back: drop the column and the table.

-- One delivery to one user. Cleared with its user and with its tenant.
create table wallet_delivery (
  tenant_id        uuid not null references tenant (id) on delete cascade,
  id               uuid not null,
  user_id          uuid not null,
  kind             text not null check (kind in ('credential', 'presentation')),
  -- deferred: the issuer gives the rest later.
  status           text not null check (status in ('delivering', 'deferred', 'delivered', 'failed')),
  -- How the user was named, and by what: personal, sealed.
  identifier_type  text not null check (identifier_type in ('email', 'username', 'externalIdentifier')),
  sealed_recipient bytea not null,
  -- What is to be delivered (offer and transaction code, or request); secret, sealed. Cleared once it is ordered, there, or has failed.
  sealed_parcel    bytea,
  -- Who is at work on it, and until when that one is not taken for dead.
  claim            uuid,
  lease_until      timestamptz,
  -- Rows of wallet_deferred that belong to it: while there are any, they bring it to its end.
  awaited          integer not null default 0 check (awaited >= 0),
  -- Of the same tenant, if it was issued for this delivery.
  issuance_id      uuid,
  credential_ids   uuid[] not null default '{}',
  -- Chosen at the start, so that a second attempt makes no second one.
  presentation_id  uuid,
  -- {code, message}, as the caller is told.
  error            jsonb,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade,
  check ((kind = 'presentation') = (presentation_id is not null)),
  check (sealed_parcel is null or (status = 'delivering' and awaited = 0)),
  check ((status in ('delivering', 'deferred')) = (sealed_parcel is not null or awaited > 0)),
  check ((lease_until is null) = (sealed_parcel is null)),
  check (claim is null or lease_until is not null)
);
create index wallet_delivery_left on wallet_delivery (lease_until) where lease_until is not null;
create index wallet_delivery_status on wallet_delivery (tenant_id, status, id);
create index wallet_delivery_kind on wallet_delivery (tenant_id, kind, id);
create index wallet_delivery_user on wallet_delivery (tenant_id, user_id, id);
create index wallet_delivery_issuance on wallet_delivery (tenant_id, issuance_id, id) where issuance_id is not null;
select protect_tenant_rows('wallet_delivery');
select open_across('wallet_delivery');

-- The delivery that a credential is fetched for; null: its holder asked for it.
alter table wallet_deferred add column delivery_id uuid;
