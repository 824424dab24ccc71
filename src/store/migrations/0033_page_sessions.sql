-- 0033 page sessions: browsers that are signed in to the pages, with the tokens by which the pages speak our API.
-- Locks: none, the table is new. Old code runs on it: yes. Way back: drop the table.

-- Ends with the sign-in session that it came from, in every process at once.
create table page_session (
  tenant_id          uuid not null,
  id                 uuid not null,
  token_hash         bytea not null check (octet_length(token_hash) = 32),
  sign_in_session_id uuid not null,
  user_id            uuid not null,
  -- Access, refresh and ID token, and what they are good for.
  sealed_tokens      bytea not null,
  tokens_until       timestamptz not null,
  -- A process is exchanging the refresh token until then.
  refreshing_until   timestamptz,
  -- A form that arrived after the session had been idle for too long; kept for the same user's next session. Personal data.
  sealed_draft       bytea,
  created_at         timestamptz not null,
  last_seen_at       timestamptz not null,
  expires_at         timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, sign_in_session_id) references sign_in_session (tenant_id, id) on delete cascade
);
create index page_session_sign_in on page_session (tenant_id, sign_in_session_id);
create index page_session_expiry on page_session (expires_at);
select protect_tenant_rows('page_session');
select open_across('page_session', true);

-- Whether a session of the sign-in is still there.
create function is_sign_in_session(session_id uuid) returns boolean language sql stable as
  'select exists (select from sign_in_session where tenant_id = current_tenant() and id = session_id)';
