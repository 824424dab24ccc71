-- 0001 foundation: the two roles that the application takes on, the wall between tenants, tenants and their keys.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: drop what is created here.

-- Roles belong to the whole database server, so another database on it may have made them already, even at this moment. From PostgreSQL 16 on
-- the creator of a role is a member that may not take it on before it is granted so.
do $$
declare
  wanted text;
  is_by_grant boolean := current_setting('server_version_num')::integer >= 160000;
begin
  foreach wanted in array array['chirograph_app', 'chirograph_across'] loop
    begin
      execute format('create role %I nologin', wanted);
    exception when duplicate_object or unique_violation then null;
    end;
    if not pg_has_role(current_user, wanted, case when is_by_grant then 'set' else 'member' end) then
      execute format('grant %I to %I', wanted, current_user) || case when is_by_grant then ' with inherit false, set true' else '' end;
    end if;
  end loop;
end $$;

grant usage on schema public to chirograph_app, chirograph_across;

-- The tenant of the running transaction; null outside of one, and null equals no row.
create function current_tenant() returns uuid language sql stable parallel safe as
$$ select nullif(current_setting('chirograph.tenant_id', true), '')::uuid $$;

-- Puts up the wall: only rows of the transaction's tenant exist, also for the owner of the table.
create function protect_tenant_rows(name text) returns void language plpgsql as $$
begin
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format('create policy tenant_rows on %I to chirograph_app using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', name);
  execute format('grant select, insert, update, delete on %I to chirograph_app', name);
end $$;

-- Opens a table to the door without a tenant: for reading, or for writing too. It reads no bytes, which are what is sealed or hashed, and no
-- column that is added later without a grant of its own. The account of the server may inherit the role; a statement of it that did not take
-- the role on sees nothing.
create function open_across(name text, writable boolean default false) returns void language plpgsql as $$
declare
  readable text := (select string_agg(quote_ident(attname), ', ') from pg_attribute
    where attrelid = name::regclass and attnum > 0 and not attisdropped and atttypid <> 'bytea'::regtype);
begin
  execute format('create policy across_rows on %I to chirograph_across using (current_user = ''chirograph_across'') with check (%L and current_user = ''chirograph_across'')',
    name, writable);
  execute format('grant select (%s) on %I to chirograph_across', readable, name);
  if writable then
    execute format('grant insert, update, delete on %I to chirograph_across', name);
  end if;
end $$;

create table tenant (
  id          uuid primary key,
  slug        text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' or id = '00000000-0000-0000-0000-000000000000'),
  name        text not null check (length(name) between 1 and 200),
  settings    jsonb not null default '{}',
  -- Grows with every change to what the tenant publishes, so that each process knows when its copy is stale.
  catalog_version integer not null default 1,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  disabled_at timestamptz
);
-- Owns the keys that belong to no organisation. Before the wall stands, since the wall holds the owner too.
insert into tenant (id, slug, name, created_at, updated_at)
values ('00000000-0000-0000-0000-000000000000', '_platform', 'Platform', now(), now());
alter table tenant enable row level security;
alter table tenant force row level security;
create policy tenant_rows on tenant to chirograph_app using (id = current_tenant()) with check (id = current_tenant());
grant select, update on tenant to chirograph_app;
select open_across('tenant', true);

-- The key that seals a tenant's personal data and private keys, itself sealed under MASTER_KEY. Cleared with the tenant.
create table tenant_key (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  version    integer not null,
  wrapped    bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, version)
);
select protect_tenant_rows('tenant_key');

-- Signing keys made by us. The private half is sealed; it is cleared when the key is destroyed.
create table signing_key (
  tenant_id      uuid not null references tenant (id) on delete cascade,
  id             uuid not null,
  usage          text not null check (usage in ('credential', 'request', 'status', 'access-token')),
  alg            text not null check (alg in ('ES256', 'EdDSA')),
  public_jwk     jsonb not null,
  sealed_private bytea,
  created_at     timestamptz not null,
  -- Since when it signs no more. Its public half stays published while something that it signed may still be checked.
  retired_at     timestamptz,
  primary key (tenant_id, id)
);
create unique index signing_key_current on signing_key (tenant_id, usage) where retired_at is null;
select protect_tenant_rows('signing_key');
