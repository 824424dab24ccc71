-- 0064 ends of credentials: when a credential ends, and whether its holder never accepted it, so that both are found by an index.
-- Locks: issuance exclusively while it is rewritten, the issued credentials that end are updated and two indexes are built, some ten seconds per
-- million rows; credential_template_version meanwhile. Old code runs on it: yes; what it issues meanwhile is not found by filter[validBefore].
-- Way back: drop the indexes and the columns.

-- Written when the credential is issued. Null until then, and for a credential without an end: then the update that issues stays HOT.
alter table issuance
  add column valid_until timestamptz,
  -- Null while the wallet may accept the credential, so that the steps of redeeming and issuing stay HOT; those are found by their claims.
  add column unaccepted boolean generated always as (
    case when status = 'completed' and credential_status = 'issued' and sealed_claims is null then true end) stored;
grant select (valid_until, unaccepted) on issuance to chirograph_across;

-- Row-level security applies to the owner too.
alter table issuance no force row level security;
alter table credential_template_version no force row level security;
update issuance set valid_until = case json_typeof(v.definition -> 'validUntil')
    when 'string' then (v.definition ->> 'validUntil')::timestamptz
    -- From the hour of issuing on, as the credential says.
    else (date_trunc('hour', issuance.issued_at at time zone 'UTC') + make_interval(
      years => coalesce((v.definition #>> '{validUntil,future,years}')::int, 0),
      months => coalesce((v.definition #>> '{validUntil,future,months}')::int, 0),
      days => coalesce((v.definition #>> '{validUntil,future,days}')::int, 0))) at time zone 'UTC' end
from credential_template_version v
where v.tenant_id = issuance.tenant_id and v.template_id = issuance.template_id and v.version = issuance.template_version
  and issuance.issued_at is not null and v.definition -> 'validUntil' is not null;
alter table credential_template_version force row level security;
alter table issuance force row level security;

create index issuance_valid_until on issuance (tenant_id, valid_until, id) where valid_until is not null;
create index issuance_unaccepted on issuance (tenant_id, id) where unaccepted;
