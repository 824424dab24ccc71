-- 0012 issuance format: issuances of mdocs.
-- Locks: issuance while it is rewritten, since the type of the column is a domain. Old code runs on it: yes. Way back: drop the column.

-- Format of the template, which never changes.
create domain credential_format as text check (value in ('sd-jwt-vc', 'mdoc'));
alter table issuance add column format credential_format not null default 'sd-jwt-vc';
