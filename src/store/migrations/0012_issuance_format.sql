-- 0012 issuance format: issuances of mdocs.
-- Locks: a moment on issuance, which is read once for the check. Old code runs on it: yes. Way back: drop the column.

-- Format of the template, which never changes.
alter table issuance add column format text not null default 'sd-jwt-vc' check (format in ('sd-jwt-vc', 'mdoc'));
