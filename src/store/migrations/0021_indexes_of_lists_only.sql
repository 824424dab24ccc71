-- 0021 indexes of lists only: an index for a filter is no longer a way to find a row by its id.
-- Why: without statistics, which a table gets in its first minute, an index on (tenant_id, something, id) costs PostgreSQL as much as the
-- primary key when it looks for (tenant_id, id), and it took the newer one. That read the entries of the whole tenant for each row, in a plan
-- that was kept. A filter compares, which nothing null survives, so these conditions shut out nothing that a list wants.
-- Locks: writers of a table wait while its indexes are built, a second or two per million rows. Old code runs on it: yes. Way back: create
-- the indexes as 0006, 0008, 0016, 0017 and 0018 have them.
drop index issuance_status, issuance_template, issuance_created;
-- One for each status, because what looks for an id often names several statuses, which are not null either.
create index issuance_offered on issuance (tenant_id, id) where status = 'offered';
create index issuance_partly on issuance (tenant_id, id) where status = 'partiallyIssued';
create index issuance_completed on issuance (tenant_id, id) where status = 'completed';
create index issuance_failed on issuance (tenant_id, id) where status = 'failed';
create index issuance_expired on issuance (tenant_id, id) where status = 'expired';
create index issuance_canceled on issuance (tenant_id, id) where status = 'canceled';
create index issuance_template on issuance (tenant_id, template_id, id) where template_id is not null;
create index issuance_created on issuance (tenant_id, created_at, id) where created_at is not null;

-- The same for what is unique: an index that begins with the tenant costs as much with the tenant alone and the rest as a filter. What is told
-- apart by itself comes first, the tenant last.
alter table issued_copy drop constraint issued_copy_tenant_id_credential_id_fkey;
alter table issuance drop constraint issuance_tenant_id_credential_id_key, drop constraint issuance_tenant_id_token_hash_key;
alter table issuance add constraint issuance_credential unique (credential_id, tenant_id);
alter table issuance add constraint issuance_token unique (token_hash, tenant_id);
alter table issued_copy add constraint issued_copy_of_issuance foreign key (tenant_id, credential_id)
  references issuance (tenant_id, credential_id) on delete cascade;
drop index issued_copy_slot;
create unique index issued_copy_slot on issued_copy (status_list_id, status_index, tenant_id);

drop index presentation_request_status, presentation_request_template;
create index presentation_request_status on presentation_request (tenant_id, status, id) where status is not null;
create index presentation_request_template on presentation_request (tenant_id, template_id, id) where template_id is not null;

drop index wallet_delivery_status, wallet_delivery_user, wallet_delivery_kind;
create index wallet_delivery_status on wallet_delivery (tenant_id, status, id) where status is not null;
create index wallet_delivery_user on wallet_delivery (tenant_id, user_id, id) where user_id is not null;
create index wallet_delivery_kind on wallet_delivery (tenant_id, kind, id) where kind is not null;

drop index webhook_delivery_list, webhook_delivery_status, webhook_delivery_type;
create index webhook_delivery_list on webhook_delivery (tenant_id, endpoint_id, id) where endpoint_id is not null;
create index webhook_delivery_status on webhook_delivery (tenant_id, endpoint_id, status, id) where endpoint_id is not null;
create index webhook_delivery_type on webhook_delivery (tenant_id, endpoint_id, event_type, id) where endpoint_id is not null;
