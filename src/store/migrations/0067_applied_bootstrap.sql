-- 0067 applied bootstrap: the digest of the bootstrap file that was applied last, which a start does not apply again.
-- Locks: none, the table is new. Old code runs on it: yes, it applies its file at every start. Way back: drop the
-- table.

create table applied_bootstrap (
  -- There is one row at most.
  id     integer primary key check (id = 1),
  -- HMAC of the file with its secrets, under a key of the platform: without that key nobody can try secrets. Null until
  -- it is applied as a whole.
  digest text
);
grant select, insert, update on applied_bootstrap to chirograph_across;
