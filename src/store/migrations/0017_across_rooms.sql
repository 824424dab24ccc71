-- 0017 across rooms: what the rooms show together of an account, and how a tenant is removed.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- What the rooms show of how an account is used: whether its user can sign in, and whether its wallet holds something,
-- or will.
create view account_use with (security_invoker) as
  select account.tenant_id, account.id,
    account.password_hash is not null
      or exists (select from passkey one where one.tenant_id = account.tenant_id and one.user_id = account.id)
      or exists (select from external_identity one where one.tenant_id = account.tenant_id and one.user_id = account.id) as can_sign_in,
    exists (select from wallet_credential one where one.tenant_id = account.tenant_id and one.user_id = account.id)
      or exists (select from wallet_deferred one where one.tenant_id = account.tenant_id and one.user_id = account.id)
      or exists (select from wallet_presentation one where one.tenant_id = account.tenant_id and one.user_id = account.id)
      or exists (select from wallet_removed_credential one where one.tenant_id = account.tenant_id and one.user_id = account.id)
      or exists (select from wallet_delivery one
        where one.tenant_id = account.tenant_id and one.user_id = account.id and one.status in ('delivering', 'deferred'))
      or exists (select from issuance one
        where one.tenant_id = account.tenant_id and one.holder_id = account.id and one.status = 'offered') as holds
  from user_account account;
grant select on account_use to chirograph_app;

-- What is kept of a tenant that was removed, and how far its removal is. Kept for ever: a slug is part of issuer
-- identifiers, so no other organisation may get it. No personal data.
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

-- What grows with every issuance has no foreign key to its tenant: each insert would lock the one row of the tenant.
-- When a tenant is deleted, everything else goes by its foreign keys, and these rows by this trigger. It runs as the
-- owner of the tables, who is subject to row-level security too, so the policies `removal` show it the rows of that
-- tenant only. It leaves those alone that `chirograph tenant remove` has removed: entries of status lists and nonces
-- have no index by tenant, so the trigger reads all of them, of all tenants, in the statement that deletes the tenant,
-- which is ended where they are tens of millions.
create function remove_rows_of_tenant() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  acting text := current_setting('chirograph.tenant_id', true);
begin
  if exists (select from removed_tenant where id = old.id) then
    return null;
  end if;
  perform set_config('chirograph.tenant_id', old.id::text, true);
  delete from status_entry where tenant_id = old.id;
  delete from spent_nonce where tenant_id = old.id;
  delete from issuance where tenant_id = old.id;
  delete from audit_entry where tenant_id = old.id;
  delete from user_search_piece where tenant_id = old.id;
  perform set_config('chirograph.tenant_id', coalesce(acting, ''), true);
  return null;
end $$;

create trigger tenant_removed after delete on tenant for each row execute function remove_rows_of_tenant();
