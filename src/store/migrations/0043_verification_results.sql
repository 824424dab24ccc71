-- 0043 verification results: when the response to a presentation request was accepted. updated_at moves on when claims are erased.
-- Locks: presentation_request for a moment, since the new column has no default. Old code runs on it: yes. Way back: drop the column.
-- Not personal. Rows that were completed before have none.
alter table presentation_request add column completed_at timestamptz;
