-- 0025 names: finds issuances by the words of the name on their card.
-- Locks: issuance, while its triggers are created. Old code runs on it: it writes no words, so what it issues is not found
-- by name; what it clears takes its words along. Way back: drop the triggers, their function, the table and the domain.

create domain name_word_mac as bytea check (octet_length(value) = 16);

-- One row for each distinct word of the sealed label of an issuance, which has no words of the time before this table.
-- Personal data, as far as equal words of a tenant are equal here. Deleted by triggers when the label is cleared, and with
-- the issuance. There is no foreign key, which each word of each insert would have to check: the words are inserted in
-- the transaction that inserts the issuance.
create table issuance_name_word (
  tenant_id   uuid not null,
  issuance_id uuid not null,
  -- The first 128 bits of an HMAC of the folded word, under a key of the tenant.
  word_mac    name_word_mac not null,
  primary key (tenant_id, issuance_id, word_mac)
);
-- In the order of the ids, so that a page reads only its own entries.
create index issuance_name_word_mac on issuance_name_word (tenant_id, word_mac, issuance_id);
select protect_tenant_rows('issuance_name_word');
create policy removal on issuance_name_word to current_user using (tenant_id = current_tenant());

-- On a distributed engine they run on a part of the table, and delete from the part of the words on the same node.
create function delete_name_words() returns trigger language plpgsql as $$
declare
  words text := 'issuance_name_word';
begin
  if tg_table_name <> 'issuance' then
    words := shard_name(words::regclass, get_shard_id_for_distribution_column(words::regclass, old.tenant_id));
  end if;
  execute format('delete from %s where tenant_id = $1 and issuance_id = $2', words) using old.tenant_id, old.id;
  return null;
end $$;

create trigger issuance_label_cleared after update of sealed_label on issuance
  for each row when (old.sealed_label is not null and new.sealed_label is null) execute function delete_name_words();
create trigger issuance_deleted after delete on issuance
  for each row when (old.sealed_label is not null) execute function delete_name_words();
