-- 0013 request signers: the client identifier and certificate of a presentation request, fixed when it is created.
-- Locks: presentation_request and certificate for one scan of the first. Old code runs on it: yes, its requests are signed under the did:web of the
-- tenant, which is what null means; but it would also serve and check requests with a certificate as did:web requests, so let these end first.
-- Way back: drop both columns.
alter table presentation_request
  -- Client identifier with its prefix; null: the did:web of the tenant.
  add column client_id text,
  -- The certificate whose key signs the request object, also after its renewal.
  add column signer_id uuid,
  add foreign key (tenant_id, signer_id) references certificate (tenant_id, id),
  -- An unsigned request has a client without a signer.
  add check ((client_id is null) = (signer_id is null) or (client_id = 'redirect_uri:' and signer_id is null));
