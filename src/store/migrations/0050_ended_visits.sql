-- 0050 ended visits: the sweep that deletes what visitors began on verification pages a day later finds the rows by their time.
-- Locks: verification_visit for a moment. Old code runs on it: yes. Way back: drop the index and the policy across_rows of the table.
create index verification_visit_created on verification_visit (created_at);
select open_across('verification_visit');
