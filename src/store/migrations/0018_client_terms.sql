-- 0018 client terms: where an application publishes its terms of service.
-- Locks: client, for an instant. Old code runs on it: it does not name the column. Way back: drop the column.

alter table client add column tos_uri text;
grant select (tos_uri) on client to chirograph_across;
