-- 0063 verified email: which e-mail address of a user was proven.
-- Locks: user_account exclusively for a moment, no rewrite. Old code runs on it: yes; it proves no address. Way back: drop the column.

-- The address that the user received a link at, or that a provider has verified, in the form in which addresses are compared. It says something
-- of email only while both are equal, so a change of email need not clear it. It goes with the row.
alter table user_account add column verified_email_folded text collate "C" check (length(verified_email_folded) between 3 and 640);
