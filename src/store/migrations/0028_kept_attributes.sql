-- 0028 kept attributes: what an organisation keeps of the credentials that people hold, to correct them.
-- Locks: issuance, while its trigger is created. Old code runs on it: it does not know the table, and keeps nothing.
-- Way back: drop the trigger, its function and the table.

-- Personal data: the attributes of an issuance, sealed, where the organisation keeps them (setting `heldAttributes`).
-- Deleted by the trigger when the issuance comes to nothing or its credential is revoked, by a sweep when the
-- organisation no longer keeps them, and with the issuance.
create table issuance_attributes (
  tenant_id         uuid not null,
  -- Of the issuance.
  id                uuid not null,
  sealed_attributes bytea not null,
  primary key (tenant_id, id)
);
select protect_tenant_rows('issuance_attributes');
create policy removal on issuance_attributes to current_user using (tenant_id = current_tenant());
select open_across('issuance_attributes');
select add_reference('issuance_attributes', 'foreign key (tenant_id, id) references issuance (tenant_id, id) on delete cascade');

-- On a distributed engine it runs on a part of the table, and deletes from the part of the attributes on the same node.
create function delete_kept_attributes() returns trigger language plpgsql as $$
declare
  kept text := 'issuance_attributes';
begin
  if tg_table_name <> 'issuance' then
    kept := shard_name(kept::regclass, get_shard_id_for_distribution_column(kept::regclass, old.tenant_id));
  end if;
  execute format('delete from %s where tenant_id = $1 and id = $2', kept) using old.tenant_id, old.id;
  return null;
end $$;

-- A failed one whose claims are there may be offered again.
create trigger issuance_over after update of status, credential_status, standing, sealed_claims on issuance
  for each row when (new.ended is not null and new.sealed_claims is null or new.notable in ('revoked', 'rejected'))
  execute function delete_kept_attributes();
