-- 0026 directory by time: what an identity system reads again and again is what changed since the last time.
-- Locks: writes to user_account while the indexes are made. Old code runs on it: yes. Way back: drop the indexes.
-- Each costs an entry at the right edge for each user that is created, and the first one for each change of a user.
create index user_account_updated on user_account (tenant_id, updated_at, id) where deleted_at is null;
create index user_account_created on user_account (tenant_id, created_at, id) where deleted_at is null;
