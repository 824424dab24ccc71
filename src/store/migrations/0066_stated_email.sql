-- 0066 stated email: what ID tokens say of the e-mail address of a user, for the statement that redeems a code.
-- Locks: none, a view is made. Old code runs on it: yes, it does not use it. Way back: drop the view.

create view stated_email with (security_invoker) as
  select tenant_id, id, email, coalesce(verified_email_folded = email_folded, false) as is_verified from user_account;
grant select on stated_email to chirograph_app;
