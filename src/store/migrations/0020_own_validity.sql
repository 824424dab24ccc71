-- 0020 own validity: when the credential of one issuance is valid, where that differs from its template.
-- Locks: issuance, for an instant. Old code runs on it: it does not name the columns, and issues by the template.
-- Way back: drop the columns.

-- Null: as the template says.
alter table issuance add column own_valid_from timestamptz;
alter table issuance add column own_valid_until timestamptz;
