import { isWrittenUuid } from '../../uuid.ts'
import type { SessionContext } from '../engine.ts'
import type { Sql } from '../store.ts'
import { type EncodedStep, stepOf } from './one-trip.ts'

const begin = command('store.begin_transaction', 'begin')
const commit = command('store.commit_transaction', 'commit')
const roles = {
  chirograph_app: command('store.set_tenant_role', 'set local role chirograph_app'),
  chirograph_across: command('store.set_across_role', 'set local role chirograph_across'),
}
/**
 * By function, which a distributed engine does not pass on: it opens the connections to its nodes as the current role.
 * Passed on, the role would also replace the owner of a function that runs as its owner.
 */
const rolesOfCoordinator = {
  chirograph_app: command(
    'store.set_own_tenant_role',
    `select where set_config('role', 'chirograph_app', true) is null`,
  ),
  chirograph_across: command(
    'store.set_own_across_role',
    `select where set_config('role', 'chirograph_across', true) is null`,
  ),
}
const noTenant = command('store.set_no_tenant', `set local chirograph.tenant_id = ''`)
const limitIdle = command('store.limit_idle_time', `set local idle_in_transaction_session_timeout = '30s'`)
const planOnce = command('store.plan_once', 'set local plan_cache_mode = force_generic_plan')

/**
 * The commands around the statements of a transaction. SET LOCAL in an explicit transaction instead of `set_config`,
 * because a distributed engine passes only the former on to its nodes. All end with the transaction, so a
 * transaction-pooling proxy allows them; time limits are not set when a connection is opened, since it refuses that.
 */
type ContextSteps = {
  /** Opens a transaction as the account of the server. */
  readonly asAccount: readonly EncodedStep[]
  /** Sent with the first statement of a transaction. */
  readonly before: (context: SessionContext, first: Sql) => readonly EncodedStep[]
  /** A whole transaction of these statements, and the index of the first of them. */
  readonly around: (
    context: SessionContext,
    within: readonly [EncodedStep, ...EncodedStep[]],
  ) => { readonly steps: readonly EncodedStep[]; readonly index: number }
}

/**
 * @param statementMs Time limit of one statement in milliseconds.
 * @param isDistributed Whether the rows of tenants lie on several nodes. Such an engine plans each use with its values,
 *   since the tenant decides on the node.
 */
export function contextStepsOf(statementMs: number, isDistributed: () => boolean): ContextSteps {
  const limitStatements = command(
    'store.limit_statement_time',
    `set local statement_timeout = ${Math.ceil(statementMs)}`,
  )
  const opening = ({ role, tenantId }: SessionContext, { isPlannedOnce = false }: Sql) => [
    begin,
    (isDistributed() ? rolesOfCoordinator : roles)[role],
    setTenant(tenantId),
    limitStatements,
    limitIdle,
    ...(isPlannedOnce && !isDistributed() ? [planOnce] : []),
  ]
  return {
    asAccount: [begin, limitStatements, limitIdle],
    before: opening,
    around: (context, within) => {
      const before = opening(context, within[0].statement)
      return { steps: [...before, ...within, commit], index: before.length }
    },
  }
}

/**
 * SET takes no parameters. The command has no name, since a connection would keep that of each tenant.
 *
 * @throws Error for a value that is no UUID
 */
function setTenant(tenantId: string | null): EncodedStep {
  if (tenantId === null) return noTenant
  if (!isWrittenUuid(tenantId)) throw new Error('not a tenant id')
  return command('', `set local chirograph.tenant_id = '${tenantId}'`)
}

function command(name: string, text: string): EncodedStep {
  return stepOf({ name, text }, [])
}
