-- 0034 audit months: a table for each month of the audit trail, so that an old month is dropped instead of deleted row by row.
-- Locks: audit_entry_rest while a month is made from it, for as long as its rows take to move: none, as long as months are made ahead.
-- Old code runs on it: yes. Way back: drop the functions; the tables of months may stay.

-- The lowest UUID of version 7 with this time.
create function lowest_id_at(at timestamptz) returns uuid language sql immutable as
$$ select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid $$;

-- Makes the table of a month (UTC, its first day), if there is none, and moves the entries of that month there. As the owner, who alone may
-- do so; row-level security applies to the owner too, and is lifted from the table of the rest while nobody else can read it.
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

-- Drops the table of a month, with its entries. Readers of the audit trail wait for it, so it gives up after two seconds.
create function drop_audit_month(month date) returns void language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
begin
  execute format('drop table if exists %I', to_char(month, '"audit_entry_"YYYY_MM'));
end $$;

revoke execute on function add_audit_month(date), drop_audit_month(date) from public;
grant execute on function add_audit_month(date), drop_audit_month(date) to chirograph_across;

select add_audit_month((date_trunc('month', now() at time zone 'UTC') + n * interval '1 month')::date) from generate_series(0, 2) as n;
