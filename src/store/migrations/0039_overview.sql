-- 0039 overview: figures by day and in total, credentials by the day on which they end, and what the lists of issuances show and filter by.
-- Locks: audit_entry for writing while a small index is built, issuance exclusively while it is rewritten and its indexes are built, a few seconds per million rows; the counts for a moment. They are
-- counted again from the audit trail by the next sweep. Old code runs on it: no, it counts without the new tables; stop it first. Way back: drop
-- the tables, the indexes and the columns, create issuance_reference as 0006 has it, and truncate event_count and event_count_position.

-- Metrics by template and day in UTC, counted with event_count. Cleared by the same statement when older than 400 days.
create table event_day_count (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  template_id uuid not null,
  day         date not null,
  figure      text not null,
  count       bigint not null,
  primary key (tenant_id, day, template_id, figure)
);
select protect_tenant_rows('event_day_count');

-- Metrics of all time and all templates, so that the overview reads a dozen rows.
create table event_total (
  tenant_id uuid not null references tenant (id) on delete cascade,
  figure    text not null,
  count     bigint not null,
  primary key (tenant_id, figure)
);
select protect_tenant_rows('event_total');

-- Issued credentials that were not revoked, by the day in UTC on which their validity ends; infinity: they have no end.
create table credential_end_count (
  tenant_id uuid not null references tenant (id) on delete cascade,
  ends_on   date not null,
  count     bigint not null,
  primary key (tenant_id, ends_on)
);
select protect_tenant_rows('credential_end_count');
truncate event_count, event_count_position;

-- Null for most issuances and in every step of redeeming and issuing, so these steps stay HOT and the index is small.
alter table issuance
  add column notable text generated always as (
    case when standing <> 'valid' then standing::text
      when approval = 'pending' and status = 'offered' then 'deferred'
      when credential_status = 'rejected' then 'rejected' end) stored,
  -- The user that it was made for: whose wallet it was delivered to, or who may get it by signing in.
  add column holder_id uuid,
  -- When the wallet reported that its holder accepted the credential.
  add column accepted_at timestamptz,
  -- Why it was revoked or suspended: one of a few words, never free text. Cleared when it is reinstated.
  add column status_reason text check (length(status_reason) between 1 and 40);
grant select (notable, holder_id, accepted_at, status_reason) on issuance to chirograph_across;
create index issuance_notable on issuance (tenant_id, notable, id) where notable is not null;
create index issuance_holder on issuance (tenant_id, holder_id, id) where holder_id is not null;
-- Few entries are of refusals, so the index costs issuing nothing.
create index audit_entry_refused on audit_entry (tenant_id, id) where result = 'refused';
-- In the order of bytes, so that it serves a prefix too.
drop index issuance_reference;
create index issuance_reference on issuance (tenant_id, reference collate "C", id) where reference is not null;
