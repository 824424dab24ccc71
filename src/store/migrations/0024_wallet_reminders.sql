-- 0024 wallet reminders: when the holder of a credential is told that it ends.
-- Locks: wallet_credential, for an instant; the index reads its rows. Old code runs on it: it does not name the column,
-- and of what it receives nobody is reminded, as of what was received before. Way back: drop the column.

-- Null: it has no end, or its holder was told.
alter table wallet_credential add column remind_at timestamptz;
create index wallet_credential_reminded on wallet_credential (remind_at) where remind_at is not null;
select open_across('wallet_credential');
