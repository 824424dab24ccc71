import type { TenantId } from '../../caller.ts'
import { isWrittenUuid } from '../../uuid.ts'
import { distribute } from '../distribution/distribute.ts'
import { distributionOf } from '../distribution/layout.ts'
import type { BoundStep, Engine, RunStatement, SessionContext } from '../engine.ts'
import { positional, type Values } from '../named-parameters.ts'
import { inStatementSpan } from '../statement-span.ts'
import { type AcrossTx, type Sql, type Step, type Store, type StoreCounts, sql, type TenantTx } from '../store.ts'
import { migrate, pendingMigrations, schemaOf } from './migrate.ts'
import { oldestTransaction } from './oldest-transaction.ts'

type Options = {
  /** PostgreSQL connection string; null opens the embedded engine. */
  readonly databaseUrl: string | null
  /** Folder of the embedded engine; null: in memory (tests). */
  readonly dataDir: string | null
  /** Dump that an in-memory engine starts from. */
  readonly startFrom?: Blob | null
  readonly poolMax: number
  /** Time limit of one round trip to PostgreSQL; 10 s by default. */
  readonly answerMsMax?: number
  /** Whether statements are prepared on PostgreSQL; true by default. */
  readonly isPrepared?: boolean
  readonly onIdleError: (error: Error) => void
}

const findMode = sql('store.find_mode', `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`)
const ACROSS: SessionContext = { role: 'chirograph_across', tenantId: null }

/** Opens the database. Only the engine in use is loaded: the embedded one takes 100 MB. */
export async function openStore({ databaseUrl, dataDir, startFrom, ...options }: Options): Promise<Store> {
  if (databaseUrl === null) {
    const { openEmbedded } = await import('../embedded/embedded.ts')
    return storeOn(await openEmbedded(dataDir, startFrom))
  }
  const { openPostgresql } = await import('../postgresql/postgresql.ts')
  return storeOn(openPostgresql({ url: databaseUrl, ...options }))
}

function storeOn(engine: Engine): Store {
  const counted = { statements: 0, transactions: 0 }
  const counting = (run: RunStatement): TenantTx['rows'] => {
    return (statement, values = [], then = []) => {
      counted.statements += 1 + then.length
      return inStatementSpan(statement, () => run(statement, positional(statement, values), then.map(bound)))
    }
  }
  const once = (context: SessionContext): TenantTx['rows'] => {
    counted.transactions += 1
    let used = false
    return <Row>(statement: Sql, values: Values = [], then: readonly Step[] = []) => {
      if (used) throw new Error(`a transaction of one statement got a second statement: ${statement.name}`)
      used = true
      counted.statements += 1 + then.length
      const steps = [bound({ statement, values }), ...then.map(bound)] as const
      return inStatementSpan(statement, () => engine.single<Row>(context, steps))
    }
  }
  return {
    kind: engine.kind,
    inTenant: (tenantId, work) => {
      counted.transactions += 1
      return engine.transaction(contextOf(tenantId), (run) => work(tenantTxOn(tenantId, counting(run))))
    },
    single: (tenantId, work) => work(tenantTxOn(tenantId, once(contextOf(tenantId)))),
    across: (_reason, work) => {
      counted.transactions += 1
      return engine.transaction(ACROSS, (run) => work({ rows: counting(run) } as AcrossTx))
    },
    singleAcross: (_reason, work) => work({ rows: once(ACROSS) } as AcrossTx),
    migrate: async () => {
      await engine.check()
      return migrate(engine)
    },
    schema: async () => {
      await engine.check()
      return schemaOf(engine)
    },
    distribute: () => distribute(engine),
    distribution: () => engine.readAsOwner(distributionOf),
    oldestTransaction: () => engine.readAsOwner(oldestTransaction),
    isReady: async () => {
      // A write that fits into the pages that are there succeeds on a full disk, so none is tried.
      if (engine.isDiskFull()) throw new Error('the database takes no writes: its disk is full')
      const [mode] = await engine.readAsOwner((run) => run<{ isReadOnly: boolean }>(findMode))
      if (mode?.isReadOnly === true) throw new Error('the database takes no writes: it is read-only')
      return (await pendingMigrations(engine)) === 0
    },
    get counts(): StoreCounts {
      return { ...counted, roundTrips: engine.roundTrips() }
    },
    close: engine.close,
  }
}

function bound({ statement, values }: Step): BoundStep {
  return { statement, values: positional(statement, values) }
}

function tenantTxOn(tenantId: TenantId, rows: TenantTx['rows']) {
  return { tenantId, rows } as TenantTx
}

/** Refuses a value that is not a tenant id before anything is sent; PostgreSQL would fail only at the first row. */
function contextOf(tenantId: TenantId): SessionContext {
  if (!isWrittenUuid(tenantId)) throw new Error('not a tenant id')
  return { role: 'chirograph_app', tenantId }
}
