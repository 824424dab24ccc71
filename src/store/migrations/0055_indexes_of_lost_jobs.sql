-- 0055 indexes of lost jobs: sweeps find the ended token families and the late notifications whose job a crash has lost.
-- Runs: outside a transaction. Locks: none for long, the tables are written meanwhile. Old code runs on it: yes. Way back: drop the indexes.

-- What a session brought ends with it: the rows have ended_at until the job deletes them.
drop index concurrently if exists token_family_ended;
create index concurrently token_family_ended on token_family (ended_at) where ended_at is not null;

drop index concurrently if exists wallet_notification_queued;
create index concurrently wallet_notification_queued on wallet_notification (queued_at) where queued_at is not null;
