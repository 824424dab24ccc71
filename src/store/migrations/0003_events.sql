-- 0003 events: the audit trail, by month, and the order in which its events are read.
-- Locks: none, everything is new. Old code runs on it: there is none. Way back: none, it is part of the baseline.

create domain audit_actor_kind as text check (value in ('user', 'client', 'system', 'wallet', 'verifier', 'issuer'));
create domain audit_result as text check (value in ('done', 'refused'));
-- The application may insert and read entries, and change nothing but addresses. There is no foreign key to the tenant,
-- which each insert would have to lock; a trigger of the tenant removes the rows.
create table audit_entry (
  tenant_id     uuid not null,
  -- A UUID of version 7 with the time of "at", so that reads by time go along the ids.
  id            uuid not null,
  at            timestamptz not null,
  actor_kind    audit_actor_kind not null,
  actor_id      text,
  -- The client that acted for the user after a token exchange.
  acting_client text,
  action        text not null,
  -- Set when the entry is also an event that webhooks and the event stream carry.
  event_type    text,
  subject_kind  text not null,
  subject_id    text,
  result        audit_result not null,
  ip            text,
  request_id    text,
  -- Ids only, never a claim, a name or a secret.
  detail        jsonb not null,
  -- The place in the order of events (decision 0009). The era is a constant until an era ends, so that recording costs
  -- nothing more: all tenants are in era 1 then. lock_event_order() changes the default.
  era           integer not null default 1,
  xact          xid8 not null default pg_current_xact_id(),
  -- Whom an entry notifies, as its detail says: a user lists and streams these alone. Null for all others, so the index
  -- is small and issuing pays nothing for it. Under row-level security an expression over the detail could not be
  -- searched by an index.
  notified_user text,
  primary key (tenant_id, id)
) partition by range (id);
create index audit_entry_subject on audit_entry (tenant_id, subject_id, id) where subject_id is not null;
create index audit_entry_actor on audit_entry (tenant_id, actor_id, id) where actor_id is not null;
-- Without the frequent actions, which are found soon by reading along the ids and would pay for the index each time.
create index audit_entry_action on audit_entry (tenant_id, action, id) where action not in
  ('openid4vc.issuance.offered', 'openid4vc.issuance.completed', 'openid4vc.verification.requested', 'openid4vc.verification.verified');
create index audit_entry_published on audit_entry (tenant_id, era, xact, id) where event_type is not null;
-- Without the frequent actions, as above.
create index audit_entry_published_type on audit_entry (tenant_id, event_type, era, xact, id)
  where event_type is not null and action not in
  ('openid4vc.issuance.offered', 'openid4vc.issuance.completed', 'openid4vc.verification.requested', 'openid4vc.verification.verified');
-- Counted actions that are not public events. They are rare, so the index costs issuing nothing.
create index audit_entry_counted on audit_entry (tenant_id, era, xact, id)
  where event_type is null and action in ('issuance.canceled', 'issuance.reopened');
-- Few entries are of refusals, so the index costs issuing nothing.
create index audit_entry_refused on audit_entry (tenant_id, id) where result = 'refused';
create index audit_entry_notified on audit_entry (tenant_id, notified_user, era, xact, id)
  where notified_user is not null;
select protect_tenant_rows('audit_entry');
revoke update, delete on audit_entry from chirograph_app;
-- Addresses of callers are personal data: the job events.forget-addresses clears them after AUDIT_ADDRESS_DAYS. Nothing
-- else of an entry can be changed.
grant update (ip) on audit_entry to chirograph_app;
-- A statement across tenants can see that there are new events, and not their content.
create policy across_rows on audit_entry for select to chirograph_across using (current_user = 'chirograph_across');
grant select (tenant_id, era, xact, id, event_type) on audit_entry to chirograph_across;
create policy removal on audit_entry to current_user using (tenant_id = current_tenant());

-- This one has the entries of servers whose clock is wrong, and those of a month without a table.
create table audit_entry_rest partition of audit_entry default;
alter table audit_entry_rest enable row level security;
alter table audit_entry_rest force row level security;

-- until: the last entry of the tenant that was swept.
create table audit_address_sweep (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  until     uuid not null
);
select protect_tenant_rows('audit_address_sweep');
select open_across('audit_address_sweep');

-- The lowest UUID of version 7 with this time.
create function lowest_id_at(at timestamptz) returns uuid language sql immutable as
$$ select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid $$;

-- Each month of the audit trail has a table, so that an old month is dropped instead of deleted row by row. This makes
-- the table of a month (UTC, its first day), if there is none, and moves the entries of that month there. As the owner,
-- who alone may do so; row-level security applies to the owner too, and is lifted from the table of the rest while
-- nobody else can read it.
create function add_audit_month(month date) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  name  text := to_char(month, '"audit_entry_"YYYY_MM');
  first uuid := lowest_id_at(month::timestamp at time zone 'UTC');
  after uuid := lowest_id_at((month + interval '1 month') at time zone 'UTC');
begin
  if extract(day from month) <> 1 then raise exception 'not the first day of a month: %', month; end if;
  if to_regclass(name) is not null then return; end if;
  lock table audit_entry_rest in access exclusive mode;
  execute format('create table %I (like audit_entry including defaults)', name);
  alter table audit_entry_rest no force row level security;
  execute format('with early as (delete from audit_entry_rest where id >= %L and id < %L returning *) insert into %I select * from early', first, after, name);
  alter table audit_entry_rest force row level security;
  execute format('alter table audit_entry attach partition %I for values from (%L) to (%L)', name, first, after);
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
end $$;

-- As add_audit_month(), unless more than rows_max entries are in the table of the rest, all of which it reads: those of
-- servers whose clock is months wrong, or of months that were not made for long. Then it changes nothing and returns
-- false; entries of the month go to the rest, where they are read like all others. Gives up after two seconds of
-- waiting for readers, who would wait behind it.
create function make_audit_month(month date, rows_max integer) returns boolean
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  found integer;
begin
  if to_regclass(to_char(month, '"audit_entry_"YYYY_MM')) is not null then return true; end if;
  lock table audit_entry_rest in access exclusive mode;
  -- Row-level security applies to the owner too. Nobody else can read the table meanwhile.
  alter table audit_entry_rest no force row level security;
  select count(*) into found from (select true from audit_entry_rest limit rows_max + 1) as strays;
  alter table audit_entry_rest force row level security;
  if found > rows_max then return false; end if;
  perform add_audit_month(month);
  return true;
end $$;

-- Makes the table of each month that has entries in the rest, however many, and moves them there. Locks the audit trail
-- for as long as that takes. For the owner alone, in a maintenance (docs/operations.md). Returns the number of months.
create function sort_audit_rest() returns integer language plpgsql set search_path = public, pg_temp as $$
declare
  month  date;
  months integer := 0;
begin
  lock table audit_entry_rest in access exclusive mode;
  loop
    alter table audit_entry_rest no force row level security;
    -- The first 48 bits of the id are its time in milliseconds.
    select date_trunc('month', to_timestamp((('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint) / 1000.0) at time zone 'UTC')::date
      into month from audit_entry_rest limit 1;
    alter table audit_entry_rest force row level security;
    if month is null then return months; end if;
    perform add_audit_month(month);
    months := months + 1;
  end loop;
end $$;

-- Drops the table of a month, with its entries. Readers of the audit trail wait for it, so it gives up after two
-- seconds.
create function drop_audit_month(month date) returns void language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
begin
  execute format('drop table if exists %I', to_char(month, '"audit_entry_"YYYY_MM'));
end $$;

revoke execute on function add_audit_month(date), make_audit_month(date, integer), sort_audit_rest(), drop_audit_month(date)
from public;
grant execute on function add_audit_month(date), make_audit_month(date, integer), drop_audit_month(date) to chirograph_across;

select add_audit_month((date_trunc('month', now() at time zone 'UTC') + n * interval '1 month')::date) from generate_series(0, 2) as n;

-- Transaction ids order the events of a tenant for as long as one node assigns them. When other ones are assigned, a
-- new era of this tenant begins. A tenant without a row is in era 1; sweeps add the rows, since the creation of a
-- tenant writes nothing here.
create table tenant_event_state (
  tenant_id uuid primary key references tenant (id) on delete cascade,
  era       integer not null default 1 check (era >= 1),
  -- The node that assigns the transaction ids of this era, as event_node() names it there.
  node      integer not null default 0,
  since     timestamptz not null default now()
);
-- Inserted first, since row-level security applies to the owner too.
insert into tenant_event_state (tenant_id) values ('00000000-0000-0000-0000-000000000000');
select protect_tenant_rows('tenant_event_state');
select open_across('tenant_event_state', true);

-- Adds the row of each tenant that has none. EXCEPT instead of a join, since a distributed engine places the two tables
-- differently.
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

-- Waits until every transaction that records events has ended, and delays the next ones, so that each records all in
-- one era: a statement that waits for the lock reads the era afterwards. From the first time on an event looks for the
-- era of its tenant.
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
