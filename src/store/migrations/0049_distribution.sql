-- 0049 distribution: what `chirograph distribute` has taken away and must put back.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.

-- Foreign keys inside a tenant and grants on views, which stand in the way while the tables become distributed ones. A row is deleted in the
-- transaction that puts its statement back, so an interrupted run is resumed by the next one. Empty on one PostgreSQL.
create table distribution_remainder (
  position  integer primary key,
  statement text not null
);

-- The trigger of users on a distributed engine runs on a part of the table, whose rows have a type of their own, and writes to the part of the
-- pieces on the same node. Elsewhere both tables are whole.
create or replace function index_search_pieces() returns trigger language plpgsql as $$
declare
  old_account user_account;
  new_account user_account;
  before text[] := '{}';
  after  text[] := '{}';
  pieces text := 'user_search_piece';
begin
  -- When a tenant is removed, its pieces go by the trigger of the tenant.
  if tg_op = 'DELETE' and current_tenant() is null then
    return null;
  end if;
  if tg_op <> 'INSERT' then
    old_account := old;
    before := search_pieces(old_account);
  end if;
  if tg_op <> 'DELETE' then
    new_account := new;
    after := search_pieces(new_account);
  end if;
  if tg_table_name <> 'user_account' then
    pieces := shard_name(pieces::regclass, get_shard_id_for_distribution_column(pieces::regclass, coalesce(new_account.tenant_id, old_account.tenant_id)));
  end if;
  if tg_op <> 'INSERT' then
    execute format('delete from %s where tenant_id = $1 and user_id = $2 and piece = any($3) and piece <> all($4)', pieces)
      using old_account.tenant_id, old_account.id, before, after;
  end if;
  if tg_op <> 'DELETE' then
    execute format('insert into %s select $1, piece, $2 from unnest($4) as piece where piece <> all($3)', pieces)
      using new_account.tenant_id, new_account.id, before, after;
  end if;
  return null;
end $$;
