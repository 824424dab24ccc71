-- 0069 rows of removed tenants: the trigger of a tenant leaves those alone that `chirograph tenant remove` has removed.
-- Why: entries of status lists and nonces have no index by tenant. The trigger reads all of them, of all tenants, in the
-- statement that deletes the tenant, which is ended where they are tens of millions.
-- Locks: none, a function is replaced. Old code runs on it: yes. Way back: create the function as 0031 has it.
create or replace function remove_rows_of_tenant() returns trigger
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
