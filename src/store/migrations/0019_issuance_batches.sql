-- 0019 issuance batches: many issuances from one request, and the outcome of each.
-- Locks: none, the tables are new. Old code runs on it: yes; accepted batches wait for a server of this version. Way back: drop the tables;
-- their issuances stay.

create table issuance_batch (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  id          uuid not null,
  template_id uuid not null,
  -- Form of the request; errors in a table name its rows and columns.
  form        text not null check (form in ('json', 'csv')),
  total       integer not null check (total between 1 and 1000),
  -- Lifetime of the offers; null: OFFER_TTL_SECONDS.
  expires_in_seconds integer check (expires_in_seconds > 0),
  -- Items issued and items failed.
  done        integer not null default 0 check (done >= 0),
  failed      integer not null default 0 check (failed >= 0),
  -- The caller, for the audit entries of its issuances: ids and an address.
  asked_by    jsonb not null,
  -- The lease of a run; see src/store/lease.ts.
  claim       uuid,
  lease_until timestamptz,
  -- Runs since the last progress. After too many the pending items fail.
  tries       smallint not null default 0,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  ended_at    timestamptz,
  primary key (tenant_id, id),
  check ((claim is null) = (lease_until is null)),
  check (done + failed <= total and (ended_at is not null) = (done + failed = total))
);
create index issuance_batch_running on issuance_batch (tenant_id, id) where ended_at is null;
create index issuance_batch_end on issuance_batch (ended_at) where ended_at is not null;
select protect_tenant_rows('issuance_batch');
select open_across('issuance_batch');

-- One row an item. Deleted with its batch.
create table issuance_batch_item (
  tenant_id        uuid not null,
  batch_id         uuid not null,
  position         integer not null check (position between 0 and 999),
  status           text not null check (status in ('waiting', 'done', 'failed')),
  -- Id of its issuance, chosen when the batch is accepted, so that no item is issued twice.
  issuance_id      uuid not null,
  reference        text check (length(reference) between 1 and 200),
  -- Personal data: the claims, sealed for the column of the issuance. Moves there when the item is issued, and is cleared when it fails.
  sealed_claims    bytea,
  -- Personal data: the user whose wallet receives it. Cleared when the item is issued or fails.
  sealed_recipient bytea,
  -- Its delivery.
  delivery_id      uuid,
  -- {code, detail, violations?}, as in our API.
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
