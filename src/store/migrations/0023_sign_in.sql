-- 0023 sign-in: sessions of people.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table and the function.

-- Whether a user of the current tenant may sign in. Other rooms than the directory call it instead of reading its table.
create function is_active_user(wanted uuid) returns boolean language sql stable as
$$ select exists (select from user_account where tenant_id = current_tenant() and id = wanted and enabled and deleted_at is null) $$;

create table sign_in_session (
  tenant_id        uuid not null,
  id               uuid not null,
  token_hash       bytea not null check (octet_length(token_hash) = 32),
  user_id          uuid not null,
  created_at       timestamptz not null,
  last_seen_at     timestamptz not null,
  authenticated_at timestamptz not null,
  expires_at       timestamptz not null,
  methods          text[] not null,
  user_agent       text not null check (length(user_agent) <= 200),
  network          text not null check (length(network) <= 60),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references user_account (tenant_id, id) on delete cascade
);
select protect_tenant_rows('sign_in_session');
