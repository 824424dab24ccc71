-- 0014 wallet mdoc: wallets of tenants that enable mdocs hold them too. `vct` is the document type then, `iss` the name of the signer.
-- Locks: a moment on wallet_credential, which is scanned once: the check is replaced. Old code runs on it: yes, while no tenant
-- has enabled mso_mdoc; it would show an mdoc as an SD-JWT VC.
-- Way back: delete from wallet_credential where format <> 'vc+sd-jwt'; restore the check of 0007.

alter table wallet_credential drop constraint wallet_credential_format_check;
alter table wallet_credential add constraint wallet_credential_format_check check (format in ('vc+sd-jwt', 'mso_mdoc'));
