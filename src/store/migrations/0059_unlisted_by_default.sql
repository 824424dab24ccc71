-- 0059 unlisted by default: the types of a tenant are found by other tenants only where it asked to be listed; its own callers always find them.
-- Locks: none, no rewrite. Old code runs on it: yes; its list lacks the caller's own types where they are not listed. Way back: drop the view.

-- For servers of the version before.
create or replace view published_type with (security_barrier, security_invoker) as
  select t.id, t.code, t.name, t.created_at, v.definition ->> 'format' as format, v.definition ->> 'docType' as doc_type,
    v.definition ->> 'description' as description, o.slug as issuer_slug, o.name as issuer_name
  from credential_template t
  join credential_template_version v on v.tenant_id = t.tenant_id and v.template_id = t.id and v.version = t.version
  join tenant o on o.id = t.tenant_id
  where t.archived_at is null and o.disabled_at is null and o.settings ->> 'typeListing' = 'listed';

create view current_type with (security_barrier, security_invoker) as
  select t.id, t.tenant_id, t.code, t.name, t.created_at, v.definition ->> 'format' as format, v.definition ->> 'docType' as doc_type,
    v.definition ->> 'description' as description, o.slug as issuer_slug, o.name as issuer_name,
    coalesce(o.settings ->> 'typeListing' = 'listed', false) as is_listed
  from credential_template t
  join credential_template_version v on v.tenant_id = t.tenant_id and v.template_id = t.id and v.version = t.version
  join tenant o on o.id = t.tenant_id
  where t.archived_at is null and o.disabled_at is null;
grant select on current_type to chirograph_across;
