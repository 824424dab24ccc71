-- 0057 account authority: what decides who may act as a user, asked when it is used.
-- Locks: user_account, one_time_link, identity_provider exclusively for a moment, no rewrite. Old code runs on it: yes; a one-time link that an old
-- server makes meanwhile opens only accounts that nobody uses and that have no role. Way back: drop the columns and the view.

-- Changed by a caller who may not act for the user, and not confirmed by the user yet, as email_is_new: once the account is used, nobody is taken
-- for its user by this value.
alter table user_account add column username_is_new boolean not null default false;
alter table user_account add column external_identifier_is_new boolean not null default false;

-- By which way it opens an account (authorization/acting/ways.ts), the roles that its maker could give (null: every role), and what the account was
-- when it was made.
alter table one_time_link add column way text not null default 'told_link';
alter table one_time_link add column maker_roles text[] default '{}';
alter table one_time_link add column email_folded text;
alter table one_time_link add column could_sign_in boolean not null default false;

-- Whether it decides which user an account or an access token of it is, also of users who use their account already. Only a caller who may act for
-- users sets it, or the operator.
alter table identity_provider add column names_people boolean not null default false;
grant select (names_people) on identity_provider to chirograph_across;

-- What the rooms show of how an account is used: whether its user can sign in, and whether its wallet holds something, or will.
create view account_use with (security_invoker) as
  select account.tenant_id, account.id,
    account.password_hash is not null
      or exists (select from passkey one where one.tenant_id = account.tenant_id and one.user_id = account.id)
      or exists (select from external_identity one where one.tenant_id = account.tenant_id and one.user_id = account.id) as can_sign_in,
    exists (select from wallet_credential one where one.tenant_id = account.tenant_id and one.user_id = account.id)
      or exists (select from wallet_deferred one where one.tenant_id = account.tenant_id and one.user_id = account.id)
      or exists (select from wallet_presentation one where one.tenant_id = account.tenant_id and one.user_id = account.id)
      or exists (select from wallet_removed_credential one where one.tenant_id = account.tenant_id and one.user_id = account.id)
      or exists (select from wallet_delivery one
        where one.tenant_id = account.tenant_id and one.user_id = account.id and one.status in ('delivering', 'deferred'))
      or exists (select from issuance one
        where one.tenant_id = account.tenant_id and one.holder_id = account.id and one.status = 'offered') as holds
  from user_account account;
grant select on account_use to chirograph_app;
