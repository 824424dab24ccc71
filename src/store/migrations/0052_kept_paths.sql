-- 0052 kept paths: where people return after a sign-in, if the path is too long for a cookie.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.

create table kept_path (
  tenant_id   uuid not null,
  id          uuid not null,
  token_hash  bytea not null check (octet_length(token_hash) = 32),
  -- A link with an offer or a request, or the answer of an issuer. Personal data; deleted an hour after it expired, at most.
  sealed_path bytea not null check (octet_length(sealed_path) <= 20480),
  expires_at  timestamptz not null,
  primary key (tenant_id, id)
);
create index kept_path_expiry on kept_path (expires_at);
select protect_tenant_rows('kept_path');
select open_across('kept_path', true);
