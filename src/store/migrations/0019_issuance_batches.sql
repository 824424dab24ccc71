-- 0019 issuance batches: many issuances that were asked for in one call, and what became of each.
-- Locks: none, the tables are new. Old code runs on it: yes; batches that were accepted wait for a server that knows them. Way back: drop the
-- tables; what was issued stays.

create table issuance_batch (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  id          uuid not null,
  template_id uuid not null,
  -- How it came; a table has rows and columns, and its errors name them.
  form        text not null check (form in ('json', 'csv')),
  total       integer not null check (total between 1 and 1000),
  -- How long the offers may be redeemed; null: OFFER_TTL_SECONDS.
  expires_in_seconds integer check (expires_in_seconds > 0),
  -- Of its items: those that were issued, and those that could not be.
  done        integer not null default 0 check (done >= 0),
  failed      integer not null default 0 check (failed >= 0),
  -- Who asked, as the audit entries of its issuances say it: ids and an address.
  asked_by    jsonb not null,
  -- The run that is at work on it, and until when that one is not taken for dead.
  claim       uuid,
  lease_until timestamptz not null,
  -- Runs since the last progress. A batch that makes none is given up.
  tries       smallint not null default 0,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  ended_at    timestamptz,
  primary key (tenant_id, id),
  check (done + failed <= total and (ended_at is not null) = (done + failed = total))
);
create index issuance_batch_running on issuance_batch (tenant_id, id) where ended_at is null;
create index issuance_batch_lease on issuance_batch (lease_until) where ended_at is null;
create index issuance_batch_end on issuance_batch (ended_at) where ended_at is not null;
select protect_tenant_rows('issuance_batch');
select open_across('issuance_batch');

-- One row an item. Cleared with its batch.
create table issuance_batch_item (
  tenant_id        uuid not null,
  batch_id         uuid not null,
  position         integer not null check (position between 0 and 999),
  status           text not null check (status in ('waiting', 'done', 'failed')),
  -- Of the issuance that it becomes, chosen when the batch is accepted: it cannot be issued twice.
  issuance_id      uuid not null,
  reference        text check (length(reference) between 1 and 200),
  -- Personal data: what the credential will say, sealed as the column of the issuance. Moves there when the item is done, and is cleared when
  -- it has failed.
  sealed_claims    bytea,
  -- Personal data: whose wallet it is delivered into. Cleared when the item is done or has failed.
  sealed_recipient bytea,
  -- The delivery to that user.
  delivery_id      uuid,
  -- {code, detail, violations?}, as the caller is told.
  error            jsonb,
  primary key (tenant_id, batch_id, position),
  unique (tenant_id, issuance_id),
  foreign key (tenant_id, batch_id) references issuance_batch (tenant_id, id) on delete cascade,
  check ((status = 'waiting') = (sealed_claims is not null) and (status = 'failed') = (error is not null)),
  check (sealed_recipient is null or status = 'waiting'),
  check (delivery_id is null or status = 'done')
);
create index issuance_batch_item_status on issuance_batch_item (tenant_id, batch_id, status, position);
select protect_tenant_rows('issuance_batch_item');
