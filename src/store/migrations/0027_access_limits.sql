-- 0027 access limits: failures that all processes of a deployment count together, the clients that a destroyed user was
-- signed in to, and addresses that the user has not confirmed.
-- Locks: user_account and client exclusively for a moment, no rewrite. Old code runs on it: yes. Way back: drop the table, the function and the columns.

-- Rows are of the platform, whichever tenant the caller is of. The key is a MAC of the limit and what it counts by, so the table holds no name and
-- no address. Deleted by a success under the key, or by the sweep api.delete-shared-counts.
create table shared_count (
  tenant_id  uuid not null references tenant (id) on delete cascade,
  key        bytea not null check (octet_length(key) = 32),
  count      integer not null check (count > 0),
  -- The end of the window, which starts with the first failure.
  expires_at timestamptz not null,
  primary key (tenant_id, key)
);
create index shared_count_expiry on shared_count (expires_at);
select protect_tenant_rows('shared_count');
select open_across('shared_count', true);

-- The sessions in which clients got tokens for a user of the current tenant. The directory calls it before it destroys the user, whose rows in
-- other rooms go by their foreign keys.
create function client_sessions(wanted uuid) returns table (session_id uuid, client_id text) language sql stable as
$$ select distinct session_id, client_id from token_family where tenant_id = current_tenant() and user_id = wanted $$;

-- The address was changed by a caller who may not act for the user, and the user has not confirmed it yet: no link that signs in is mailed to it,
-- and no account at a provider is linked by it, once the user can sign in.
alter table user_account add column email_is_new boolean not null default false;
-- The last link that was used was told to the caller who invited, and not mailed: who uses the account need not be whose address it has, so no
-- account at a provider is linked by it.
alter table user_account add column opened_by_told_link boolean not null default false;
alter table one_time_link add column is_told boolean not null default false;

-- Declared by the bootstrap file, which would undo a change at the next start.
alter table client add column is_of_file boolean not null default false;
