-- 0058 holders of batches: an issuance that a batch delivered names the user whose wallet it was delivered to, as all others do.
-- Locks: issuance and wallet_delivery exclusively while the issuances of batches are updated, seconds per 100,000 of them.
-- Old code runs on it: yes; what its batches deliver meanwhile names no user. Way back: none is needed.

-- Row-level security applies to the owner too.
alter table issuance no force row level security;
alter table wallet_delivery no force row level security;
-- Deliveries that were deleted since (DELIVERY_RETENTION_DAYS) tell nothing any more.
update issuance set holder_id = delivery.user_id from wallet_delivery delivery
where delivery.tenant_id = issuance.tenant_id and delivery.issuance_id = issuance.id and issuance.holder_id is null;
alter table wallet_delivery force row level security;
alter table issuance force row level security;
