-- 0015 credential standing: issued credentials are revoked, suspended and reinstated; status lists by what they are for, each published
-- from one bitmap.
-- Locks: issuance, issued_copy and status_list; nothing is rewritten, issuance is read once for its check. Old code runs on it: no, it
-- cannot open a status list any more; stop it first. Way back: put back issued_copy.status with its check and index of 0006 (1 or 2 where
-- issuance.standing says so), drop the new columns, put back the index status_list_open of 0006.

-- What the issuer says of a credential that is out, apart from what became of it at the holder (credential_status), which it falls back to
-- when it is reinstated. `revoked` is final.
alter table issuance add column standing text not null default 'valid' check (standing in ('valid', 'suspended', 'revoked'));
grant select (standing) on issuance to chirograph_across;
alter table issuance add constraint issuance_standing check (standing = 'valid' or (revocable and issued_at is not null));

-- Bits an entry. [MD-10] an mdoc wants lists of one bit, which know no suspension.
alter table status_list add column bits smallint not null default 2 check (bits in (1, 2));
-- The certificate under which the list and the credentials in it are signed: a root of the tenant, or one that came by a signing request.
-- null: the tenant's did:web keys. Whoever checks a credential believes a list only if the same one signed it.
alter table status_list add column authority_id uuid;
-- Grows with each change of the bitmap: whoever kept the list of a version sees in one small read whether it is still good.
alter table status_list add column version integer not null default 0;
-- The list as it is published, byte for byte (Token Status List 4.1). null: every entry is valid, as in most lists.
alter table status_list add column bitmap bit varying;
drop index status_list_open;
create unique index status_list_open on status_list (tenant_id, bits, authority_id) nulls not distinct where full_at is null;

-- The copies of a credential stand and fall together, so the state is that of the credential, and what is published is in the bitmap.
drop index issued_copy_set;
alter table issued_copy drop column status;
