-- 0070 way back: whether visitors may answer with another device, and when the browser of a visitor came back from its wallet.
-- Locks: verification_page and verification_visit exclusively for a moment, no rewrite. Old code runs on it: yes; it tells the outcome without
-- the way back. Way back: drop the columns.

-- null: by the profile of the organisation.
alter table verification_page add column another_device boolean;
-- When the browser that began the request came back with its response code.
alter table verification_visit add column returned_at timestamptz;
