-- 0061 id token algorithm: ID tokens are signed with RS256 or ES256, by client.
-- Locks: client and signing_key exclusively for a moment, no rewrite. Old code runs on it: yes; it signs with ES256 for every client.
-- Way back: drop the column; delete from signing_key where usage = 'id-token-rs256'; restore the check of 0030 and that of 0001.

alter table client add column id_token_signed_response_alg text not null default 'RS256'
  check (id_token_signed_response_alg in ('RS256', 'ES256'));

grant select (id_token_signed_response_alg) on client to chirograph_across;

alter table signing_key drop constraint signing_key_usage_check;
alter table signing_key add constraint signing_key_usage_check
  check (usage in ('credential', 'request', 'access-token', 'id-token', 'id-token-rs256', 'wallet-provider', 'ca', 'leaf'));
alter table signing_key drop constraint signing_key_alg_check;
alter table signing_key add constraint signing_key_alg_check check ((alg = 'RS256') = (usage = 'id-token-rs256') and alg in ('ES256', 'EdDSA', 'RS256'));
