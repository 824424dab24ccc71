-- 0056 bounded months: making a month of the audit trail moves a bounded number of entries, so that nobody waits for it.
-- Locks: none. Old code runs on it: yes. Way back: drop both functions.

-- As add_audit_month(), unless more than rows_max entries are in the table of the rest, all of which it reads: those of servers whose clock is months
-- wrong, or of months that were not made for long. Then it changes nothing and returns false; entries of the month go to the rest, where they are
-- read like all others. Gives up after two seconds of waiting for readers, who would wait behind it.
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

-- Makes the table of each month that has entries in the rest, however many, and moves them there. Locks the audit trail for as long as that takes.
-- For the owner alone, in a maintenance (docs/operations.md). Returns the number of months.
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

revoke execute on function make_audit_month(date, integer), sort_audit_rest() from public;
grant execute on function make_audit_month(date, integer) to chirograph_across;
