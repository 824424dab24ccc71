/**
 * SQL, before distribution: the place of a row in the order of events comes from no default, which the coordinator
 * would evaluate, but from the trigger of {@link STAMP_ON_NODES} (decision 0009).
 */
export const LEAVE_PLACE_TO_NODES = ['audit_entry', 'webhook_endpoint'].map(
  (table) => `alter table ${table} alter column era set default 0, alter column xact set default '0'`,
)

/**
 * SQL, after distribution: each node names itself, and stamps what it inserts with its own transaction id and with the
 * era of the tenant, from the part of the table of eras that lies beside the row. When the tenant was moved here, its
 * first event begins an era. The row of a tenant is written then alone, so that events of one tenant do not wait for
 * each other.
 */
export const STAMP_ON_NODES = [
  `create or replace function event_node() returns integer language sql stable parallel safe as
   $$ select groupid from pg_dist_local_group $$`,
  `create or replace function place_event() returns trigger language plpgsql as $$
   declare
     states text := shard_name('tenant_event_state'::regclass, get_shard_id_for_distribution_column('tenant_event_state'::regclass, new.tenant_id));
     here   integer := event_node();
     seen   integer;
   begin
     execute format('select era, node from %s where tenant_id = $1', states) into new.era, seen using new.tenant_id;
     if seen is distinct from here then
       execute format('insert into %s as s (tenant_id, node) values ($1, $2)
         on conflict (tenant_id) do update set era = s.era + 1, node = $2, since = now() where s.node <> $2', states) using new.tenant_id, here;
       execute format('select era from %s where tenant_id = $1', states) into new.era using new.tenant_id;
     end if;
     new.xact := pg_current_xact_id();
     return new;
   end $$`,
]

/** SQL: the triggers. Months that are made later have them too. */
export const TRIGGERS = ['audit_entry', 'webhook_endpoint'].map((table) => ({
  table,
  statement: `create trigger event_place before insert on ${table} for each row execute function place_event()`,
}))
