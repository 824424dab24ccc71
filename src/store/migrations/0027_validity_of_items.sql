-- 0027 validity of items: each item of a batch may say when its credential is valid, and which one it replaces.
-- Locks: issuance_batch_item, for an instant. Old code runs on it: it does not name the columns, and issues the items
-- without what is in them. Way back: end the batches that run, and drop the columns.

-- In place of the validity of the template, as issuance.own_valid_from and issuance.own_valid_until.
alter table issuance_batch_item add column own_valid_from timestamptz, add column own_valid_until timestamptz;
-- {id?, reference?, revoke?}, as in our API: the credential whose place it takes. Deleted with the batch.
alter table issuance_batch_item add column replaces jsonb;
