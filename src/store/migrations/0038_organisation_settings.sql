-- 0038 organisation settings: which members of a tenant the bootstrap file names. The API shows them as fixed and refuses to change them.
-- Locks: tenant, for a moment: the default is a constant. Old code runs on it: yes. Way back: drop the column.
alter table tenant add column file_members text[] not null default '{}';
grant select (file_members) on tenant to chirograph_across;
