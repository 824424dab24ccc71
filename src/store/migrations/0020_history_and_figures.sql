-- 0020 history and statistics: a record of each credential that its holder removed, event counts by template and month, and the list of
-- published credential types.
-- Locks: audit_entry for writing while a small index is built. Old code runs on it: yes; a credential that it removes leaves no line in
-- the history. Way back: drop the view, the policies published_types, the three tables and the index audit_entry_counted.

-- That there was a credential. Cleared with its user and with its tenant.
create table wallet_removed_credential (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  -- That of the credential.
  id          uuid not null,
  user_id     uuid not null,
  -- Its type, format and issuer; nothing of what it said. Cleared with the row.
  sealed_view bytea not null,
  -- When it was received.
  created_at  timestamptz not null,
  removed_at  timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
create index wallet_removed_credential_of_user on wallet_removed_credential (tenant_id, user_id, id);
select protect_tenant_rows('wallet_removed_credential');

-- Metrics by template and month in UTC. A sweep counts them from the audit trail up to the position below, so that issuing writes nothing more.
create table event_count (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  template_id uuid not null,
  month       date not null check (extract(day from month) = 1),
  -- The metric: issuance.completed, presentation.verified.
  figure      text not null,
  count       bigint not null,
  primary key (tenant_id, month, template_id, figure)
);
select protect_tenant_rows('event_count');

create table event_count_position (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  era       integer not null,
  xact      xid8 not null,
  event_id  uuid not null,
  -- The time of the last counted event.
  at        timestamptz not null
);
select protect_tenant_rows('event_count_position');
select open_across('event_count_position');

-- Counted actions that are not public events. They are rare, so the index costs issuing nothing.
create index audit_entry_counted on audit_entry (tenant_id, era, xact, id)
  where event_type is null and action in ('issuance.canceled', 'issuance.reopened');

-- The types that tenants publish, for everybody on the deployment: what stands in type metadata and issuer metadata anyway, of active
-- templates of tenants that want to be listed. The view reads as its caller, who may read these columns and no other.
create policy published_types on credential_template for select to chirograph_across using (archived_at is null and current_user = 'chirograph_across');
create policy published_types on credential_template_version for select to chirograph_across using (current_user = 'chirograph_across');
grant select (tenant_id, id, code, name, version, created_at, archived_at) on credential_template to chirograph_across;
grant select (tenant_id, template_id, version, definition) on credential_template_version to chirograph_across;
create view published_type with (security_barrier, security_invoker) as
  select t.id, t.code, t.name, t.created_at, v.definition ->> 'format' as format, v.definition ->> 'docType' as doc_type,
    v.definition ->> 'description' as description, o.slug as issuer_slug, o.name as issuer_name
  from credential_template t
  join credential_template_version v on v.tenant_id = t.tenant_id and v.template_id = t.id and v.version = t.version
  join tenant o on o.id = t.tenant_id
  where t.archived_at is null and o.disabled_at is null and coalesce(o.settings ->> 'typeListing', 'listed') <> 'unlisted';
grant select on published_type to chirograph_across;
