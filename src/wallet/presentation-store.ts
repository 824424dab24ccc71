import type { TenantId, UserId } from '../caller.ts'
import { type PageAsk, pagedList } from '../store/paged-list.ts'
import { type AcrossTx, sql, type TenantTx } from '../store/store.ts'
import type { PresentationRow } from './presentation.ts'
import type { PresentationStatus } from './schemas.ts'

/** A presentation with its sealed parts. `sealedRequest` is null once the status is final. */
export type SealedPresentation = PresentationRow & {
  readonly sealedRequest: Buffer | null
  readonly sealedView: Buffer
}

type Row = {
  id: string
  status: PresentationStatus
  is_answering: boolean
  expires_at: Date
  created_at: Date
  updated_at: Date
  sealed_request: Buffer | null
  sealed_view: Buffer
}

/** How long an answer may be on its way; whoever has not ended it by then has died. */
const ANSWERING_MS_MAX = 120_000
const COLUMNS = `id, status, answering_at is not null as is_answering, expires_at, created_at, updated_at, sealed_request, sealed_view`
const OF_USER = 'tenant_id = $1 and user_id = $2'
/** SQL for the status as the holder sees it at $3. */
export const STATUS_NOW = `case when status = 'pending' and answering_at is null and expires_at <= $3 then 'expired' else status end`

const insertStatement = sql(
  'wallet.insert_presentation',
  `insert into wallet_presentation (tenant_id, id, user_id, status, sealed_request, sealed_view, expires_at, created_at, updated_at)
   values ($1, $2, $3, 'pending', $4, $5, $6, $7, $7)`,
)
const findStatement = sql(
  'wallet.find_presentation',
  `select ${COLUMNS} from wallet_presentation where ${OF_USER} and id = $3`,
)
const page = pagedList({
  name: 'wallet.presentations',
  select: `select ${COLUMNS} from wallet_presentation where ${OF_USER} and $3::timestamptz is not null`,
  parameters: 3,
  id: 'id',
  filters: { status: (value) => `${STATUS_NOW} = ${value}` },
})
const beginStatement = sql(
  'wallet.begin_answer',
  `update wallet_presentation set answering_at = $4, sealed_view = $5
   where ${OF_USER} and id = $3 and status = 'pending' and answering_at is null and expires_at > $4 returning id`,
)
const endStatement = sql(
  'wallet.end_answer',
  `update wallet_presentation set status = $4, sealed_request = null, sealed_view = $5, answering_at = null, updated_at = $6
   where ${OF_USER} and id = $3 and status = 'pending' and answering_at is not null returning ${COLUMNS}`,
)
const releaseStatement = sql(
  'wallet.release_answer',
  `update wallet_presentation set answering_at = null, sealed_view = $4
   where ${OF_USER} and id = $3 and status = 'pending' and answering_at is not null`,
)
/** Nobody answered in time, or whoever was answering has died: that is known long before some requests expire. */
const due = (now: string, dead: string) =>
  `((answering_at is null and expires_at <= ${now}) or answering_at <= ${dead})`
const expireStatement = sql(
  'wallet.expire_presentations',
  `update wallet_presentation
   set status = case when answering_at is null then 'expired' else 'failed' end, sealed_request = null, updated_at = $2
   where tenant_id = $1 and status = 'pending' and ${due('$2', '$3')}`,
)
const tenantsDue = sql(
  'wallet.tenants_with_due_presentations',
  `select distinct tenant_id from wallet_presentation
   where status = 'pending' and ${due('$1', '$2')} limit 500`,
)

/** Keeps a request as pending. */
export async function insertPresentation(
  tx: TenantTx,
  userId: UserId,
  made: Pick<SealedPresentation, 'id' | 'sealedRequest' | 'sealedView' | 'expiresAt' | 'createdAt'>,
): Promise<void> {
  const { id, sealedRequest, sealedView, expiresAt, createdAt } = made
  await tx.rows(insertStatement, [tx.tenantId, id, userId, sealedRequest, sealedView, expiresAt, createdAt])
}

/** @returns null also for a presentation of another user. */
export async function findPresentation(tx: TenantTx, userId: UserId, id: string): Promise<SealedPresentation | null> {
  const [row] = await tx.rows<Row>(findStatement, [tx.tenantId, userId, id])
  return row === undefined ? null : from(row)
}

/** One page and one row more, in the order asked for. */
export async function listPresentations(
  tx: TenantTx,
  userId: UserId,
  status: PresentationStatus | null,
  list: PageAsk,
  now: Date,
): Promise<SealedPresentation[]> {
  return (await page<Row>(tx, list, [tx.tenantId, userId, now], { status })).map(from)
}

/**
 * Takes the right to answer. One statement: of answers that come together only one gets it, and none after the time is over.
 *
 * @param answer With what is about to be sent in its view, so that it is known also if whoever sends it dies.
 * @returns whether it is ours now.
 */
export async function beginAnswer(
  tx: TenantTx,
  userId: UserId,
  { id, sealedView }: Pick<SealedPresentation, 'id' | 'sealedView'>,
  now: Date,
): Promise<boolean> {
  const rows = await tx.rows(beginStatement, [tx.tenantId, userId, id, now, sealedView])
  return rows.length > 0
}

/** Ends an answer that was begun, with its final status; what was needed to answer is let go. @returns null if a sweep was faster. */
export async function endAnswer(
  tx: TenantTx,
  userId: UserId,
  id: string,
  end: { readonly status: PresentationStatus; readonly sealedView: Buffer },
  now: Date,
): Promise<SealedPresentation | null> {
  const [row] = await tx.rows<Row>(endStatement, [tx.tenantId, userId, id, end.status, end.sealedView, now])
  return row === undefined ? null : from(row)
}

/** Gives the right to answer back, with the view of before: the verifier wants the answer later. */
export async function releaseAnswer(
  tx: TenantTx,
  userId: UserId,
  { id, sealedView }: Pick<SealedPresentation, 'id' | 'sealedView'>,
): Promise<void> {
  await tx.rows(releaseStatement, [tx.tenantId, userId, id, sealedView])
}

/** Ends what nobody answered in time, and what a process that died was answering. */
export async function expirePresentations(tx: TenantTx, now: Date): Promise<void> {
  await tx.rows(expireStatement, [tx.tenantId, now, new Date(now.getTime() - ANSWERING_MS_MAX)])
}

/** The tenants with something to expire. */
export async function listTenantsWithDuePresentations(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  const values = [now, new Date(now.getTime() - ANSWERING_MS_MAX)]
  return (await tx.rows<{ tenant_id: TenantId }>(tenantsDue, values)).map((row) => row.tenant_id)
}

function from(row: Row): SealedPresentation {
  return {
    id: row.id,
    status: row.status,
    isAnswering: row.is_answering,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    sealedRequest: row.sealed_request,
    sealedView: row.sealed_view,
  }
}
