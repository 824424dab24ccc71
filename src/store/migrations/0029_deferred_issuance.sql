-- 0029 deferred issuance: credentials that wait for approval after a wallet has asked for them.
-- Locks: issuance, while its rows are read once for the check. Old code runs on it: yes; it issues without approval. Way back: drop the columns and the domain.

create domain issuance_approval as text check (value in ('pending', 'approved', 'denied', 'delivered'));
alter table issuance
  -- Null: the wallet has not asked for it, or the template needs no approval.
  add column approval issuance_approval,
  -- Public keys of the holder, as the wallet proved them; cleared when the credential is delivered or denied.
  add column deferred_keys jsonb,
  -- The request that is issuing the approved credential (a lease).
  add column claim uuid,
  add column lease_until timestamptz;
alter table issuance add constraint issuance_lease check ((claim is null) = (lease_until is null));
