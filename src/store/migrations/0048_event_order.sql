-- 0048 event order: the era of the order of events belongs to a tenant, and the place of a row in the order comes from the defaults of its
-- columns alone (decision 0009), so that a distributed engine can replace them by triggers that run on the node of the tenant (decision 0016).
-- Locks: tenant, audit_entry and webhook_endpoint for a moment. Old code runs on it: no, it reads event_era. Way back: create event_era with
-- the highest era there is, and the defaults and the function of 0016; then drop what is created here.

-- Transaction ids order the events of a tenant for as long as one node assigns them. When other ones are assigned, a new era of this tenant
-- begins. A tenant without a row is in era 1; sweeps add the rows, since the creation of a tenant writes nothing here.
create table tenant_event_state (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  era       integer not null default 1 check (era >= 1),
  -- The node that assigns the transaction ids of this era, as event_node() names it there.
  node      integer not null default 0,
  since     timestamptz not null default now()
);
-- Row-level security of the table of tenants applies to the owner too.
alter table tenant no force row level security;
insert into tenant_event_state (tenant_id, era) select tenant.id, event_era.era from tenant cross join event_era;
alter table tenant force row level security;
select protect_tenant_rows('tenant_event_state');
select open_across('tenant_event_state', true);

-- Adds the row of each tenant that has none. EXCEPT instead of a join, since a distributed engine places the two tables differently.
create function add_tenant_event_states() returns void language sql as $$
  insert into tenant_event_state (tenant_id) select id from tenant except select tenant_id from tenant_event_state
  on conflict do nothing returning tenant_id;
$$;

-- The node that runs the function. One server is one node; a distributed engine replaces the function.
create function event_node() returns integer language sql stable parallel safe as $$ select 0 $$;

-- The era of what the tenant of the transaction records. As its caller, so the tenant reads its own row only.
create function event_era() returns integer language plpgsql stable parallel safe as $$
begin
  return coalesce((select s.era from tenant_event_state s where s.tenant_id = current_tenant()), 1);
end $$;
-- A constant until an era ends, so that recording costs nothing more: all tenants are in era 1 then. lock_event_order() changes it.
do $$ begin
  if (select era from event_era) > 1 then alter table audit_entry alter column era set default event_era(); end if;
end $$;
-- A new endpoint is placed at the transaction that inserts it, so it receives the events of later ones.
alter table webhook_endpoint alter column era set default event_era(), alter column xact set default pg_current_xact_id();

-- Waits until every transaction that records events has ended, and delays the next ones, so that each records all in one era: a statement that
-- waits for the lock reads the era afterwards. From the first time on an event looks for the era of its tenant.
create function lock_event_order() returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where d.adrelid = 'audit_entry'::regclass and a.attname = 'era') = '1' then
    alter table audit_entry alter column era set default event_era();
  end if;
  lock table audit_entry in share row exclusive mode;
end $$;
revoke execute on function lock_event_order() from public;
grant execute on function lock_event_order() to chirograph_across;

drop function begin_event_era(integer);
drop table event_era;
