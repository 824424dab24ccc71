-- 0014 wallet mdoc: a wallet holds mdocs too, where its tenant opened them. `vct` holds the document type then, `iss` the name of the signer.
-- Locks: a moment on wallet_credential, which is read through once: the check is made anew. Old code runs on it: yes, as long as no
-- tenant has opened mso_mdoc; it would show an mdoc as something that it is not.
-- Way back: delete from wallet_credential where format <> 'vc+sd-jwt'; put back the check of 0007.

alter table wallet_credential drop constraint wallet_credential_format_check;
alter table wallet_credential add constraint wallet_credential_format_check check (format in ('vc+sd-jwt', 'mso_mdoc'));
