-- 0021 indexes of lists only: an index for a filter is no longer a way to find a row by its id.
-- Why: without statistics, which a table gets in its first minute, an index on (tenant_id, something, id) costs PostgreSQL as much as the
-- primary key when it looks for (tenant_id, id), and it took the newer one. That read the entries of the whole tenant for each row, in a plan
-- that was kept. A filter compares, which excludes nulls anyway, so these conditions exclude no row of a list.
-- Locks: writers of a table wait while its indexes are built, a second or two per million rows. Old code runs on it: yes. Way back: create
-- the indexes as 0008, 0016, 0017 and 0018 have them; put back the foreign keys to tenant, and drop the trigger and the policies.
drop index presentation_request_status, presentation_request_template;
create index presentation_request_status on presentation_request (tenant_id, status, id) where status is not null;
create index presentation_request_template on presentation_request (tenant_id, template_id, id) where template_id is not null;

drop index wallet_delivery_status, wallet_delivery_user, wallet_delivery_kind;
create index wallet_delivery_status on wallet_delivery (tenant_id, status, id) where status is not null;
create index wallet_delivery_user on wallet_delivery (tenant_id, user_id, id) where user_id is not null;
create index wallet_delivery_kind on wallet_delivery (tenant_id, kind, id) where kind is not null;

drop index webhook_delivery_list, webhook_delivery_status, webhook_delivery_type;
create index webhook_delivery_list on webhook_delivery (tenant_id, endpoint_id, id) where endpoint_id is not null;
create index webhook_delivery_status on webhook_delivery (tenant_id, endpoint_id, status, id) where endpoint_id is not null;
create index webhook_delivery_type on webhook_delivery (tenant_id, endpoint_id, event_type, id) where endpoint_id is not null;

-- What grows with every issuance has no foreign key to its tenant: each insert would lock the one row of the tenant. When a tenant is
-- removed, everything else goes by its foreign keys, and these rows by this trigger. It runs as the owner of the tables, who is subject to
-- row-level security too, so a policy shows it the rows of that tenant only.
create function remove_rows_of_tenant() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  acting text := current_setting('chirograph.tenant_id', true);
begin
  perform set_config('chirograph.tenant_id', old.id::text, true);
  delete from status_entry where tenant_id = old.id;
  delete from spent_nonce where tenant_id = old.id;
  delete from issuance where tenant_id = old.id;
  delete from audit_entry where tenant_id = old.id;
  perform set_config('chirograph.tenant_id', coalesce(acting, ''), true);
  return null;
end $$;
create policy removal on status_entry to current_user using (tenant_id = current_tenant());
create policy removal on spent_nonce to current_user using (tenant_id = current_tenant());
create policy removal on issuance to current_user using (tenant_id = current_tenant());
create policy removal on audit_entry to current_user using (tenant_id = current_tenant());
create trigger tenant_removed after delete on tenant for each row execute function remove_rows_of_tenant();
