-- 0035 grants: what a client got is bound to the instance of it that a client attestation vouches for.
-- Locks: pushed_request, authorization_code and token_family while columns are added (no rewrite). Old code runs on it: yes, it binds nothing.
-- Way back: drop the columns.

-- Thumbprint of the key of the client instance (`cnf` of its client attestation); null: the client authenticated otherwise.
alter table pushed_request add column instance_jkt text;
alter table authorization_code add column instance_jkt text;
alter table token_family add column instance_jkt text;
grant select (instance_jkt) on pushed_request to chirograph_across;
grant select (instance_jkt) on authorization_code to chirograph_across;
grant select (instance_jkt) on token_family to chirograph_across;
