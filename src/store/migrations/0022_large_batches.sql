-- 0022 large batches: a batch may have as many items as a table has rows, and keeps columns of the table for the
-- hand-out.
-- Locks: issuance_batch and issuance_batch_item, while the rows are read once (they are deleted after 30 days).
-- Old code runs on it: it creates smaller batches without such columns, and reads large ones in part only. Way back:
-- delete the batches of more than 1,000 items, restore the checks, and drop the columns.

alter table issuance_batch drop constraint issuance_batch_total_check,
  add constraint issuance_batch_total_check check (total between 1 and 10000);
alter table issuance_batch_item drop constraint issuance_batch_item_position_check,
  add constraint issuance_batch_item_position_check check (position between 0 and 9999);

-- The columns of a table that its caller keeps for the hand-out, as JSON of their headings. Sealed: a table without a
-- header has the data of its first row in their place. Deleted with the batch.
alter table issuance_batch add column sealed_headings bytea;
-- Personal data: what these columns show of the row, and the language of its mail. Deleted with the batch.
alter table issuance_batch_item add column sealed_kept bytea;
