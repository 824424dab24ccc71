-- 0046 offer mails: mails with the links of offers, their outcome, and what an issuance is called in lists.
-- Locks: issuance, issuance_batch and issuance_batch_item for a moment; the table is new. Old code runs on it: yes, it sends none of the mails.
-- Way back: drop the table and the columns.

-- Personal data: the values of a few attributes, sealed. Cleared when the offer ends without a credential; deleted with the row.
alter table issuance add column sealed_label bytea;

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

-- Items whose offers are mailed, and the outcomes.
alter table issuance_batch
  add column mails        integer not null default 0 check (mails >= 0),
  add column mails_sent   integer not null default 0 check (mails_sent >= 0),
  add column mails_failed integer not null default 0 check (mails_failed >= 0);
grant select (mails, mails_sent, mails_failed) on issuance_batch to chirograph_across;

-- Personal data: as offer_mail.sealed_mail, and sealed for it. Cleared when the item is issued or fails.
alter table issuance_batch_item add column sealed_mail bytea;
alter table issuance_batch_item add constraint issuance_batch_item_mail check (sealed_mail is null or status = 'waiting');
