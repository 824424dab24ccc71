-- 0009 issuance batches: many issuances from one request, mails of offers, and tables that people check first.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

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
  -- Given by the caller, for people.
  name        text check (length(name) between 1 and 200),
  -- Items whose offers are mailed, and the outcomes.
  mails        integer not null default 0 check (mails >= 0),
  mails_sent   integer not null default 0 check (mails_sent >= 0),
  mails_failed integer not null default 0 check (mails_failed >= 0),
  primary key (tenant_id, id),
  check ((claim is null) = (lease_until is null)),
  check (done + failed <= total and (ended_at is not null) = (done + failed = total))
);
create index issuance_batch_running on issuance_batch (tenant_id, id) where ended_at is null;
create index issuance_batch_end on issuance_batch (ended_at) where ended_at is not null;
select protect_tenant_rows('issuance_batch');
select open_across('issuance_batch');
revoke select (name) on issuance_batch from chirograph_across;

-- One row an item. Deleted with its batch.
create table issuance_batch_item (
  tenant_id        uuid not null,
  batch_id         uuid not null,
  position         integer not null check (position between 0 and 999),
  status           text not null check (status in ('waiting', 'done', 'failed')),
  -- Id of its issuance, chosen when the batch is accepted, so that no item is issued twice.
  issuance_id      uuid not null,
  reference        text check (length(reference) between 1 and 200),
  -- Personal data: the claims, sealed for the column of the issuance. Moves there when the item is issued, and is
  -- cleared when it fails.
  sealed_claims    bytea,
  -- Personal data: the user whose wallet receives it. Cleared when the item is issued or fails.
  sealed_recipient bytea,
  -- Its delivery.
  delivery_id      uuid,
  -- {code, detail, violations?}, as in our API.
  error            jsonb,
  -- Personal data: as offer_mail.sealed_mail, and sealed for it. Cleared when the item is issued or fails.
  sealed_mail      bytea,
  primary key (tenant_id, batch_id, position),
  unique (tenant_id, issuance_id),
  foreign key (tenant_id, batch_id) references issuance_batch (tenant_id, id) on delete cascade,
  check ((status = 'waiting') = (sealed_claims is not null) and (status = 'failed') = (error is not null)),
  check (sealed_recipient is null or status = 'waiting'),
  check (delivery_id is null or status = 'done'),
  constraint issuance_batch_item_mail check (sealed_mail is null or status = 'waiting')
);
create index issuance_batch_item_status on issuance_batch_item (tenant_id, batch_id, status, position);
select protect_tenant_rows('issuance_batch_item');

-- One row for each issuance whose offer is mailed: the newest request, and its outcome.
create table offer_mail (
  tenant_id   uuid not null,
  -- That of the issuance.
  id          uuid not null,
  batch_id    uuid,
  -- Incremented with each request, so that the job of an earlier one changes nothing.
  revision    integer not null default 1,
  state       text not null check (state in ('queued', 'sent', 'failed')),
  reason      text check (reason in ('refused', 'unreachable', 'offer_ended')),
  -- Personal data: address and language, sealed. Cleared with the outcome, at the latest at drop_at.
  sealed_mail bytea,
  -- The batch has counted an outcome of it.
  is_counted  boolean not null default false,
  -- When it was requested, or the outcome was known.
  at          timestamptz not null,
  drop_at     timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, id) references issuance (tenant_id, id) on delete cascade,
  check ((state = 'queued') = (sealed_mail is not null) and (state = 'failed') = (reason is not null))
);
create index offer_mail_drop on offer_mail (drop_at) where state = 'queued';
create index offer_mail_failed on offer_mail (tenant_id, at) where state = 'failed';
select protect_tenant_rows('offer_mail');
select open_across('offer_mail');

-- A table that a person is checking. Deleted an hour after its last use, with its parts.
create table table_draft (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  id          uuid not null,
  user_id     uuid not null,
  -- What the table is called, how it was read, which column means what, and the problems of its rows. Personal data.
  sealed_view bytea not null,
  -- The file as it came, compressed, so that it can be read in another way. Personal data. Null for a workbook.
  sealed_source bytea,
  -- Sealed bytes of source, view and parts when it came, for the bound of a person and of a tenant.
  bytes       integer not null check (bytes > 0),
  -- Changes with every change. While rows are being issued nothing else changes.
  revision    integer not null default 1,
  is_issuing  boolean not null default false,
  -- Until then one request issues them; afterwards another one may finish it.
  issuing_until timestamptz,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  primary key (tenant_id, id)
);
create index table_draft_user on table_draft (tenant_id, user_id, created_at);
create index table_draft_expiry on table_draft (expires_at);
select protect_tenant_rows('table_draft');
select open_across('table_draft', true);

-- Up to 1,000 rows of the table. Personal data.
create table table_draft_part (
  tenant_id   uuid not null,
  draft_id    uuid not null,
  position    smallint not null check (position between 0 and 9),
  sealed_rows bytea not null,
  primary key (tenant_id, draft_id, position),
  foreign key (tenant_id, draft_id) references table_draft (tenant_id, id) on delete cascade
);
select protect_tenant_rows('table_draft_part');
