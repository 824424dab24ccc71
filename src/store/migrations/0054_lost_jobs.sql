-- 0054 lost jobs: sweeps find the rows whose job a crash of a distributed database has lost, and read no more than those.
-- Locks: token_family and wallet_notification against writes while the few rows are indexed that have the time, a third of a second per million
-- rows; wallet_credential_display for a moment. Old code runs on it: yes; it leaves images_due_at null, so a lost job of its images is not found.
-- Way back: drop the indexes and the column, and the policy across_rows of wallet_credential_display.

-- What a session brought ends with it: the rows have ended_at until the job deletes them.
create index token_family_ended on token_family (ended_at) where ended_at is not null;

create index wallet_notification_queued on wallet_notification (queued_at) where queued_at is not null;

-- When the sweep looks whether the job that fetches the images is there; null: it has run, or there are none to fetch.
alter table wallet_credential_display add column images_due_at timestamptz;
create index wallet_credential_display_due on wallet_credential_display (images_due_at) where images_due_at is not null;
create policy across_rows on wallet_credential_display for select to chirograph_across using (current_user = 'chirograph_across');
grant select (tenant_id, images_due_at) on wallet_credential_display to chirograph_across;
