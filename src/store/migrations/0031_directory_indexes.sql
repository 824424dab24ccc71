-- 0031 directory indexes: every order and filter of the directory is a range of an index, parts of texts too.
-- Locks: writes to user_account while the indexes are made. Old code runs on it: yes. Way back: drop what is created here, and put back the function
-- of 0021. The pieces of users that are there already are made when their texts change.
-- Row-level security lets only leakproof operators reach an index: comparisons of text, times and ids are, those of arrays and patterns are not. So
-- parts of texts are found by ranges of their pieces, and roles by partial indexes, whose conditions need no operator.
-- The conditions "is not null" exclude no row of a list, and keep an index from serving a look-up by id: see 0021.
create index user_account_updated on user_account (tenant_id, updated_at, id) where updated_at is not null and deleted_at is null;
create index user_account_created on user_account (tenant_id, created_at, id) where created_at is not null and deleted_at is null;
create index user_account_first_name on user_account (tenant_id, first_name_folded, id) where first_name_folded is not null and deleted_at is null;
create index user_account_last_name on user_account (tenant_id, last_name_folded, id) where last_name_folded is not null and deleted_at is null;
create index user_account_shown_name on user_account (tenant_id, shown_name_folded, id) where shown_name_folded is not null and deleted_at is null;
-- Those without a value, which an order has at its end.
create index user_account_no_first_name on user_account (tenant_id, id) where first_name_folded is null and deleted_at is null;
create index user_account_no_last_name on user_account (tenant_id, id) where last_name_folded is null and deleted_at is null;
create index user_account_no_email on user_account (tenant_id, id) where email_folded is null and deleted_at is null;
create index user_account_no_external_identifier on user_account (tenant_id, id) where external_identifier is null and deleted_at is null;
create index user_account_disabled_username on user_account (tenant_id, username_folded) include (id) where not enabled and deleted_at is null;
create index user_account_deleted_username on user_account (tenant_id, username_folded) include (id) where deleted_at is not null;
do $$
declare
  role text;
begin
  foreach role in array array['holder', 'issuer', 'verifier', 'trust-admin', 'user-admin', 'auditor', 'owner'] loop
    execute format('create index %I on user_account (tenant_id, id) where %L = any(roles) and deleted_at is null', 'user_account_role_' || replace(role, '-', '_'), role);
    execute format('create index %I on user_account (tenant_id, username_folded) include (id) where %L = any(roles) and deleted_at is null',
      'user_account_role_' || replace(role, '-', '_') || '_username', role);
  end loop;
end $$;

-- From each place of the texts of a user that are searched by a part, up to seven characters: a part of a text is the beginning of a piece. Personal
-- data, folded as in user_account; made from a user and removed with it by the trigger, also from one that is deleted and not yet destroyed.
create table user_search_piece (
  tenant_id uuid not null,
  piece     text collate "C" not null,
  user_id   uuid not null,
  primary key (tenant_id, piece, user_id)
);
select protect_tenant_rows('user_search_piece');

create function search_pieces(account user_account) returns text[] language sql immutable parallel safe
return array(
  select distinct substr(folded, place, 7)
  from (values (coalesce(account.first_name_folded || ' ' || account.last_name_folded, account.first_name_folded, account.last_name_folded)),
    (account.username_folded), (account.display_name_folded), (account.email_folded)) as texts (folded), generate_series(1, length(folded)) as place);

create function index_search_pieces() returns trigger language plpgsql as $$
declare
  before text[] := case when tg_op = 'INSERT' then '{}' else search_pieces(old) end;
  after  text[] := case when tg_op = 'DELETE' then '{}' else search_pieces(new) end;
begin
  -- When a tenant is removed, its pieces go by the trigger of the tenant.
  if tg_op = 'DELETE' and current_tenant() is null then
    return null;
  end if;
  if tg_op <> 'INSERT' then
    delete from user_search_piece where tenant_id = old.tenant_id and user_id = old.id and piece = any(before) and piece <> all(after);
  end if;
  if tg_op <> 'DELETE' then
    insert into user_search_piece select new.tenant_id, piece, new.id from unnest(after) as piece where piece <> all(before);
  end if;
  return null;
end $$;
create trigger user_search_pieces after insert or delete on user_account for each row execute function index_search_pieces();
create trigger user_search_pieces_changed after update of username_folded, email_folded, first_name_folded, last_name_folded, display_name_folded on user_account
  for each row when (row(old.username_folded, old.email_folded, old.first_name_folded, old.last_name_folded, old.display_name_folded)
    is distinct from row(new.username_folded, new.email_folded, new.first_name_folded, new.last_name_folded, new.display_name_folded))
  execute function index_search_pieces();

create or replace function remove_rows_of_tenant() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  acting text := current_setting('chirograph.tenant_id', true);
begin
  perform set_config('chirograph.tenant_id', old.id::text, true);
  delete from status_entry where tenant_id = old.id;
  delete from spent_nonce where tenant_id = old.id;
  delete from issuance where tenant_id = old.id;
  delete from audit_entry where tenant_id = old.id;
  delete from user_search_piece where tenant_id = old.id;
  perform set_config('chirograph.tenant_id', coalesce(acting, ''), true);
  return null;
end $$;
create policy removal on user_search_piece to current_user using (tenant_id = current_tenant());
