-- 0028 code flow: credentials by authorization code. Issuances that are prepared for a user, what a code stands for besides scopes, and consent
-- by authorization server.
-- Locks: issuance, authorization_code and token_family while columns are added (no rewrite), issuance for writing while its index is built.
-- Old code runs on it: no, it inserts consent without an issuer; stop it first. Way back: drop the columns and the index.

-- The user who may get the credential by signing in; null: only a wallet that has the pre-authorized code.
alter table issuance add column recipient_id uuid;
-- The pre-authorized code of the offer is not accepted.
alter table issuance add column code_only boolean not null default false;
-- The authorization code that it was redeemed by; null: the pre-authorized code, or not redeemed.
alter table issuance add column family_id uuid;
grant select (recipient_id, code_only, family_id) on issuance to chirograph_across;
create index issuance_recipient on issuance (tenant_id, recipient_id, template_id, id) where recipient_id is not null;

-- What was granted besides scopes: the issuance, of a credential issuer.
alter table authorization_code add column details jsonb;
alter table token_family add column details jsonb;
grant select (details) on authorization_code to chirograph_across;
grant select (details) on token_family to chirograph_across;

-- A consent counts at the authorization server that it was given at. Users are asked again once.
truncate consent;
alter table consent add column issuer text not null;
alter table consent drop constraint consent_pkey, add primary key (tenant_id, user_id, client_id, issuer);
