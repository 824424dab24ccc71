-- 0015 credential standing: issued credentials are revoked, suspended and reinstated; status lists by bits and signer, each published from
-- one bitmap.
-- Locks: issuance while it is rewritten, since the type of a column is a domain, and status_list. Old code runs on it: no, it
-- cannot open a status list any more; stop it first. Way back: drop the new columns, put back the index status_list_open of
-- 0006.

-- The status given by the issuer, separate from the state at the holder (credential_status), which shows again after a reinstatement.
-- `revoked` is final.
create domain credential_standing as text check (value in ('valid', 'suspended', 'revoked'));
alter table issuance add column standing credential_standing not null default 'valid';
grant select (standing) on issuance to chirograph_across;
alter table issuance add constraint issuance_standing check (standing = 'valid' or (revocable and issued_at is not null));

-- Bits an entry. [MD-10] An mdoc uses lists of one bit, which cannot express a suspension.
alter table status_list add column bits smallint not null default 2 check (bits in (1, 2));
-- The authority of the list and its credentials: a root of the tenant, or a certificate from a signing request. null: a key
-- without a certificate. A verifier accepts a list only from the authority of the credential.
alter table status_list add column authority_id uuid;
-- The key without a certificate that signs the list and its credentials, as their header names it. null: a certificate.
alter table status_list add column kid text;
-- Incremented with each change of the bitmap: one small read shows whether a cached list is current.
alter table status_list add column version integer not null default 0;
-- The list as it is published, byte for byte (Token Status List 4.1). null: every entry is valid, as in most lists.
alter table status_list add column bitmap bit varying;
drop index status_list_open;
create unique index status_list_open on status_list (tenant_id, bits, authority_id, kid) nulls not distinct where full_at is null;
