-- 0041 verification pages: pages of an organisation on which visitors show credentials, and the requests that visitors began there.
-- Locks: none, both tables are new. Old code runs on it: yes. Way back: drop both tables.

create table verification_page (
  tenant_id            uuid not null references tenant (id) on delete cascade,
  id                   uuid not null,
  name                 text not null check (length(name) between 1 and 200),
  template_id          uuid not null,
  -- Of the sites that may embed the page and call its API.
  origins              text[] not null check (cardinality(origins) <= 20),
  heading              text check (length(heading) between 1 and 200),
  explanation          text check (length(explanation) between 1 and 1000),
  visitor_sees         text not null check (visitor_sees in ('verdict', 'receipt')),
  -- Where the browser of the visitor is led with the response code; null: nowhere.
  redirect_uri         text,
  requests_per_minute  integer not null check (requests_per_minute between 1 and 600),
  requests_per_address integer not null check (requests_per_address between 1 and 60),
  expires_in_seconds   integer not null check (expires_in_seconds between 60 and 3600),
  is_open              boolean not null,
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, template_id) references presentation_template (tenant_id, id)
);
-- A path names the page alone.
create unique index verification_page_id on verification_page (id);
create index verification_page_name on verification_page (tenant_id, name, id);
select protect_tenant_rows('verification_page');
select open_across('verification_page');

-- A presentation request that a visitor began. It outlives the page, and is cleared with the request.
create table verification_visit (
  tenant_id   uuid not null references tenant (id) on delete cascade,
  request_id  uuid not null,
  page_id     uuid not null,
  -- SHA-256 of the secret of the visitor's browser; the secret itself is never stored.
  secret_hash sha256_digest not null,
  created_at  timestamptz not null,
  primary key (tenant_id, request_id),
  foreign key (tenant_id, request_id) references presentation_request (tenant_id, id) on delete cascade
);
select protect_tenant_rows('verification_visit');
