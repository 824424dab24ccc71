-- 0049 distribution: what `chirograph distribute` has taken away and must put back.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table, the views and merged_scopes.

-- Foreign keys inside a tenant and grants on views, which stand in the way while the tables become distributed ones. A row is deleted in the
-- transaction that puts its statement back, so an interrupted run is resumed by the next one. Empty on one PostgreSQL.
create table distribution_remainder (
  position  integer primary key,
  statement text not null
);
-- Servers look whether it is empty.
grant select on distribution_remainder to chirograph_app, chirograph_across;

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

-- What a room shows of its tables to others. Views instead of the functions of 0023, 0027 and 0033, since a function that reads a table cannot run
-- where the rows are; older servers call the functions still. They read as their caller.
create view active_user with (security_invoker) as
  select tenant_id, id from user_account where enabled and deleted_at is null;
create view live_sign_in_session with (security_invoker) as
  select tenant_id, id from sign_in_session;
create view client_session with (security_invoker) as
  select tenant_id, user_id, session_id, client_id from token_family;
grant select on active_user, live_sign_in_session, client_session to chirograph_app;

-- The scopes of both, each once.
create function merged_scopes(one text[], other text[]) returns text[] language sql immutable parallel safe as
$$ select array(select unnest(one) union select unnest(other)) $$;

-- A page is found by its id before its tenant is known. Ids are random, so the index need not be unique, which no index of a distributed table is
-- without the tenant.
drop index verification_page_id;
create index verification_page_id on verification_page (id);
