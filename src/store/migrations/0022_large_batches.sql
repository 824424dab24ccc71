-- 0022 large batches: a batch may have as many items as a table has rows.
-- Locks: issuance_batch and issuance_batch_item, while the rows are read once (they are deleted after 30 days).
-- Old code runs on it: it creates smaller batches, and reads large ones in part only. Way back: delete the batches of
-- more than 1,000 items, then restore the checks.

alter table issuance_batch drop constraint issuance_batch_total_check,
  add constraint issuance_batch_total_check check (total between 1 and 10000);
alter table issuance_batch_item drop constraint issuance_batch_item_position_check,
  add constraint issuance_batch_item_position_check check (position between 0 and 9999);
