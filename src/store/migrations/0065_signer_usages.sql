-- 0065 signer usages: which extended key usages the signers of a trusted entity have.
-- Locks: trusted_entity exclusively for a moment, no rewrite. Old code runs on it: yes; it accepts the usual usages only. Way back: drop the
-- column.

-- Object identifiers, or none for certificates without extended key usages; empty: the usual ones.
alter table trusted_entity add column signer_usages text[] not null default '{}';
