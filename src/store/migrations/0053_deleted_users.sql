-- 0053 deleted users: the sweep that destroys deleted users after the days of grace finds them by the time of their deletion.
-- Locks: user_account against writes while its deleted rows are indexed. Old code runs on it: yes. Way back: drop the index.
create index user_account_deleted_at on user_account (deleted_at) where deleted_at is not null;
