-- 0029 organisation logo: the picture that an organisation gave as a file.
-- Locks: none, the table is new. Old code runs on it: it does not name the table, and knows the address of the logo from
-- the settings; it does not answer there. Way back: drop the table, and reset the setting logoUri where it names this
-- server.

-- One for each organisation; replaced with the next one, deleted when the setting names another address or none, and
-- with its tenant. Public.
create table organisation_logo (
  tenant_id  uuid primary key references tenant (id) on delete cascade,
  -- SHA-256 of the picture, as base64url: it is part of its address.
  digest     text not null check (length(digest) = 43),
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/svg+xml')),
  bytes      bytea not null check (octet_length(bytes) <= 65536),
  created_at timestamptz not null
);
select protect_tenant_rows('organisation_logo');
