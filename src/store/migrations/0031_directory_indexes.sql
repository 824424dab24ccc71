-- 0031 directory indexes: what changed since the last time, beginnings of names, and their order.
-- Locks: writes to user_account while the indexes are made. Old code runs on it: yes. Way back: drop the indexes.
-- Each costs an entry at the right edge for each user that is created, and the first one for each change of a user.
create index user_account_updated on user_account (tenant_id, updated_at, id) where deleted_at is null;
create index user_account_created on user_account (tenant_id, created_at, id) where deleted_at is null;
-- Beginnings, orders and names. Row-level security lets only leakproof operators reach an index: comparisons of text are, those of arrays are not,
-- so that the index of pieces serves only where the account of the server is not subject to it.
create index user_account_username_order on user_account (tenant_id, username_folded collate "C") where deleted_at is null;
create index user_account_email_order on user_account (tenant_id, email_folded collate "C") where deleted_at is null;
create index user_account_first_name_order on user_account (tenant_id, first_name_folded collate "C") where deleted_at is null;
create index user_account_last_name_order on user_account (tenant_id, last_name_folded collate "C") where deleted_at is null;
