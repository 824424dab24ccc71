-- 0001 tenants: the two roles of the application, row-level security by tenant, tenants and their keys.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

-- Roles belong to the database cluster, so another database may have created them already, or may do so concurrently.
-- From PostgreSQL 16 on the creator of a role is a member of it that may not set it without a grant.
do $$
declare
  role_name text;
  is_by_grant boolean := current_setting('server_version_num')::integer >= 160000;
begin
  foreach role_name in array array['chirograph_app', 'chirograph_across'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then null;
    end;
    if not pg_has_role(current_user, role_name, case when is_by_grant then 'set' else 'member' end) then
      execute format('grant %I to %I', role_name, current_user) || case when is_by_grant then ' with inherit false, set true' else '' end;
    end if;
  end loop;
end $$;

grant usage on schema public to chirograph_app, chirograph_across;

-- The tenant of the current transaction; null without one, and no row equals null.
create function current_tenant() returns uuid language sql stable parallel safe as
$$ select nullif(current_setting('chirograph.tenant_id', true), '')::uuid $$;

-- Enables row-level security: only rows of the current tenant are visible, also to the owner of the table.
create function protect_tenant_rows(name text) returns void language plpgsql as $$
begin
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format('create policy tenant_rows on %I to chirograph_app using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', name);
  execute format('grant select, insert, update, delete on %I to chirograph_app', name);
end $$;

-- Grants the role without a tenant access to a table: read, or also write. It reads no bytea columns, which are sealed
-- or hashed, domains over bytea included, and no columns that are added later without a grant. The account of the
-- server may inherit the role, but sees no rows unless it sets the role.
create function open_across(name text, writable boolean default false) returns void language plpgsql as $$
declare
  readable text := (select string_agg(quote_ident(attname), ', ') from pg_attribute join pg_type on pg_type.oid = atttypid
    where attrelid = name::regclass and attnum > 0 and not attisdropped and 'bytea'::regtype not in (atttypid, typbasetype));
begin
  execute format('create policy across_rows on %I to chirograph_across using (current_user = ''chirograph_across'') with check (%L and current_user = ''chirograph_across'')',
    name, writable);
  execute format('grant select (%s) on %I to chirograph_across', readable, name);
  if writable then
    execute format('grant insert, update, delete on %I to chirograph_across', name);
  end if;
end $$;

-- Tables that every issuance writes state what a column may hold by a domain: PostgreSQL parses the check of a table
-- again in each statement that writes to it, and that of a domain once in a session.
create domain sha256_digest as bytea check (octet_length(value) = 32);

create table tenant (
  id          uuid primary key,
  slug        text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' or id = '00000000-0000-0000-0000-000000000000'),
  name        text not null check (length(name) between 1 and 200),
  settings    jsonb not null default '{}',
  -- Incremented with every change to what the tenant publishes, so that processes detect stale caches.
  catalog_version integer not null default 1,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  disabled_at timestamptz,
  -- The members that the bootstrap file names. The API shows them as fixed and refuses to change them.
  file_members text[] not null default '{}'
);
-- The tenant of the platform owns the keys that belong to no organisation. Inserted first, since row-level security
-- applies to the owner too.
insert into tenant (id, slug, name, created_at, updated_at)
values ('00000000-0000-0000-0000-000000000000', '_platform', 'Platform', now(), now());
alter table tenant enable row level security;
alter table tenant force row level security;
create policy tenant_rows on tenant to chirograph_app using (id = current_tenant()) with check (id = current_tenant());
-- A tenant is inserted in its own transaction, together with its audit entry; row-level security admits no other row.
grant select, insert, update on tenant to chirograph_app;
select open_across('tenant', true);

-- The key that seals a tenant's personal data and private keys, itself sealed under MASTER_KEY. Cleared with the
-- tenant.
create table tenant_key (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  version    integer not null,
  wrapped    bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, version)
);
select protect_tenant_rows('tenant_key');

-- Signing keys. The private key is sealed, and cleared when the key is destroyed.
create table signing_key (
  tenant_id      uuid not null references tenant (id) on delete cascade,
  id             uuid not null,
  usage          text not null check (usage in
    ('credential', 'request', 'access-token', 'id-token', 'id-token-rs256', 'wallet-provider', 'ca', 'leaf')),
  alg            text not null,
  public_jwk     jsonb not null,
  sealed_private bytea,
  created_at     timestamptz not null,
  -- When the key stopped signing. Its public key stays published while its signatures may be verified.
  retired_at     timestamptz,
  -- Where the private key is. `software`: in sealed_private itself; else sealed_private holds its id at the provider.
  provider       text not null default 'software',
  primary key (tenant_id, id),
  constraint signing_key_alg_check
    check ((alg = 'RS256') = (usage = 'id-token-rs256') and alg in ('ES256', 'EdDSA', 'RS256'))
);
-- Keys of certificates are selected by id, so any number of them may sign.
create unique index signing_key_current on signing_key (tenant_id, usage)
  where retired_at is null and usage not in ('ca', 'leaf');
select protect_tenant_rows('signing_key');
