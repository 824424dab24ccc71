-- 0054 lost jobs: a sweep finds the images whose job a crash of a distributed database has lost.
-- Locks: wallet_credential_display for a moment: its index has no row at first. Old code runs on it: yes; it leaves images_due_at null, so a lost
-- job of its images is not found. Way back: drop the column, its index, and the policy across_rows of wallet_credential_display.

-- When the sweep looks whether the job that fetches the images is there; null: it has run, or there are none to fetch.
alter table wallet_credential_display add column images_due_at timestamptz;
create index wallet_credential_display_due on wallet_credential_display (images_due_at) where images_due_at is not null;
create policy across_rows on wallet_credential_display for select to chirograph_across using (current_user = 'chirograph_across');
grant select (tenant_id, images_due_at) on wallet_credential_display to chirograph_across;
