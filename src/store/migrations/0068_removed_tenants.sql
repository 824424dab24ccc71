-- 0068 removed tenants: what is kept of a tenant that was removed, and how far its removal is.
-- Locks: none, the table is new. Old code runs on it: yes, but a bootstrap file that it applies makes a removed tenant
-- again once its rows are gone. Way back: drop the function and the table once no removal is unfinished.

-- Kept for ever: a slug is part of issuer identifiers, so no other organisation may get it. No personal data.
create table removed_tenant (
  -- The id that the tenant had.
  id           uuid primary key,
  slug         text not null unique,
  name         text not null,
  created_at   timestamptz not null,
  -- When it was closed.
  removed_at   timestamptz not null,
  -- The client that asked for it; null: the command line.
  removed_by   text,
  -- What the tenant had when it was closed.
  counts       jsonb not null,
  -- When its audit trail was archived; null also without an archive.
  archived_at  timestamptz,
  rows_removed bigint not null default 0,
  -- When its last row was gone.
  ended_at     timestamptz
);
create index removed_tenant_ended on removed_tenant (ended_at);
alter table removed_tenant enable row level security;
create policy platform_rows on removed_tenant to chirograph_app
  using (current_tenant() = '00000000-0000-0000-0000-000000000000')
  with check (current_tenant() = '00000000-0000-0000-0000-000000000000');
grant select, insert, update on removed_tenant to chirograph_app;
select open_across('removed_tenant');

-- Deletes entries of the current tenant from the audit trail, the oldest first, if the tenant is being removed. The
-- role of the application may delete none.
create function remove_audit_entries(entries_max integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  removed integer;
begin
  if not exists (select from removed_tenant where id = current_tenant()) then
    raise exception 'the tenant is not being removed';
  end if;
  delete from audit_entry where tenant_id = current_tenant() and id = any (array(
    select id from audit_entry where tenant_id = current_tenant() order by id limit entries_max));
  get diagnostics removed = row_count;
  return removed;
end $$;
revoke execute on function remove_audit_entries(integer) from public;
grant execute on function remove_audit_entries(integer) to chirograph_app;
