-- 0013 request signers: who a presentation request is from, as it was when the request was made.
-- Locks: presentation_request and certificate for one scan of the first. Old code runs on it: yes, its requests are from the did:web of the tenant, as
-- null says; but it would serve and check requests that are signed with a certificate as if they were from the did:web too, so let these end first.
-- Way back: drop both columns.
alter table presentation_request
  -- The client identifier that wallets know us by; null: that of the did:web of the tenant.
  add column client_id text,
  -- The certificate whose key signs the request object, also after it was replaced.
  add column signer_id uuid,
  add foreign key (tenant_id, signer_id) references certificate (tenant_id, id),
  add check ((client_id is null) = (signer_id is null));
