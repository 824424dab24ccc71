-- 0062 requests without pkce: a confidential client may bind its codes by the nonce of its ID tokens instead.
-- Locks: client and authorization_code exclusively for a moment, no rewrite. Old code runs on it: yes; it requires PKCE of every client.
-- Way back: delete from authorization_code where challenge is null; restore not null; drop the column.

alter table client add column pkce_required boolean not null default true;
alter table client add constraint client_public_pkce check (pkce_required or not is_public);
grant select (pkce_required) on client to chirograph_across;

alter table authorization_code alter column challenge drop not null;
