-- 0021 replacements: which credential takes the place of which.
-- Locks: none. Old code runs on it: it does not know the table, and replaces nothing.
-- Way back: drop the table.

create table replacement (
  tenant_id  uuid not null,
  -- The issuance of the new credential.
  id         uuid not null,
  -- The issuance of the one that it takes the place of.
  old_id     uuid not null,
  -- When the old one is revoked, or its offer withdrawn.
  revoke     text not null check (revoke in ('whenTaken', 'atOnce', 'never')),
  -- `done`: the new one has taken its place; `void`: the new one came to nothing. Null: not yet.
  outcome    text check (outcome in ('done', 'void')),
  primary key (tenant_id, id)
);
-- One at a time takes the place of a credential.
create unique index replacement_old on replacement (tenant_id, old_id) where outcome is distinct from 'void';
create index replacement_open on replacement (tenant_id, id) where outcome is null;
select protect_tenant_rows('replacement');
select open_across('replacement');
select add_reference('replacement', 'foreign key (tenant_id, id) references issuance (tenant_id, id) on delete cascade');
select add_reference('replacement', 'foreign key (tenant_id, old_id) references issuance (tenant_id, id) on delete cascade');
