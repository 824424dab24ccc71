-- 0045 ended credentials: issuances whose credential is past its validity are deleted, and status lists that have no other credentials.
-- Locks: status_list for a moment, since the new columns have constant defaults. Old code runs on it: yes, its retention does not count
-- entries, so a list whose issuances it deleted is kept. Way back: drop the columns.

-- Entries whose issuance was deleted. The rows of status_entry stay until the list goes, so that no entry is given twice.
alter table status_list add column ended_entries integer not null default 0 check (ended_entries >= 0);
-- Entries may belong to credentials that a restored database does not know, so the list stays published.
alter table status_list add column has_lost_entries boolean not null default false;
