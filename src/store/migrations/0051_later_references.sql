-- 0051 later references: foreign keys of tables that later migrations make, also where the tables of tenants are distributed already.
-- Locks: none. Old code runs on it: yes. Way back: drop the function.

-- Adds a foreign key to a table, e.g. add_reference('addition', 'foreign key (tenant_id, user_id) references user_account (tenant_id, id)'). On a
-- distributed database it is left to `chirograph distribute`, which servers wait for anyway: a table that is not distributed yet cannot refer
-- to one that is.
create function add_reference(name text, definition text) returns void language plpgsql as $$
declare
  command text := format('alter table %I add %s', name, definition);
begin
  if to_regclass('pg_dist_partition') is not null then
    if exists (select from pg_dist_partition where partmethod = 'h') and not exists (select from pg_dist_partition where logicalrelid = name::regclass and partmethod = 'h') then
      insert into distribution_remainder (position, statement)
      select coalesce(max(position), 0) + 1, command from distribution_remainder;
      return;
    end if;
  end if;
  execute command;
end $$;
