-- 0019 rows of tables: which row of its table an item is from, since a workbook may have rows without content.
-- Locks: issuance_batch_item, for an instant. Old code runs on it: it does not name the column. Way back: drop the
-- column.

-- Number of the row in its file; null: the request was JSON, or CSV to an older version, whose first item is row 2.
alter table issuance_batch_item add column row_number integer;
