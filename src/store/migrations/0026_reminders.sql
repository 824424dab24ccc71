-- 0026 reminders: the address of a mailed offer is kept while the offer is open, so that its person can be reminded.
-- Locks: offer_mail, while its check is replaced (the rows are read once), and issuance, while the trigger is created.
-- Old code runs on it: it erases the address once the mail is sent, so there is nobody to remind. Way back: clear
-- sealed_mail of all that are not queued, drop the trigger, its function and the column, and restore the check.

alter table offer_mail drop constraint offer_mail_check,
  add constraint offer_mail_check check ((state = 'failed') = (reason is not null)
    and case state when 'queued' then sealed_mail is not null when 'failed' then sealed_mail is null else true end);
-- The newest request is a reminder, which says so.
alter table offer_mail add column is_reminder boolean not null default false;

-- Who was mailed an offer is reminded of it at most as long as its claims are kept. On a distributed engine the trigger
-- runs on a part of the table, and updates the part of the mails on the same node.
create function forget_mailed_address() returns trigger language plpgsql as $$
declare
  mails text := 'offer_mail';
begin
  if tg_table_name <> 'issuance' then
    mails := shard_name(mails::regclass, get_shard_id_for_distribution_column(mails::regclass, old.tenant_id));
  end if;
  execute format('update %s set sealed_mail = null where tenant_id = $1 and id = $2 and state = ''sent'' and sealed_mail is not null', mails)
    using old.tenant_id, old.id;
  return null;
end $$;

create trigger issuance_claims_cleared after update of sealed_claims on issuance
  for each row when (old.sealed_claims is not null and new.sealed_claims is null) execute function forget_mailed_address();
