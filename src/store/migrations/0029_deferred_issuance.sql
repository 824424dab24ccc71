-- 0029 deferred issuance: credentials that wait for approval after a wallet has asked for them.
-- Locks: issuance, for a moment: the columns are empty. Old code runs on it: yes; it issues without approval. Way back: drop the columns.

alter table issuance
  -- Null: the wallet has not asked for it, or the template needs no approval.
  add column approval text,
  -- Public keys of the holder, as the wallet proved them; cleared when the credential is delivered or denied.
  add column deferred_keys jsonb,
  -- The request that is issuing the approved credential (a lease).
  add column claim uuid,
  add column lease_until timestamptz;
-- Not validated: no row has these columns yet.
alter table issuance
  add constraint issuance_approval check (approval in ('pending', 'approved', 'denied', 'delivered')) not valid,
  add constraint issuance_lease check ((claim is null) = (lease_until is null)) not valid;
