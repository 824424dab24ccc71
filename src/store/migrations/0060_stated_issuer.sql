-- 0060 stated issuer: what a credential in a wallet calls its issuer, where another one was proven.
-- Locks: wallet_credential exclusively for a moment, no rewrite. Old code runs on it: yes; it stores what was stated as the issuer. Way back: drop
-- the column.

-- Null: the credential states what was proven, or nothing. Cleared with the row.
alter table wallet_credential add column stated_iss text;
