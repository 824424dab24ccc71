import type { UserId } from '../../caller.ts'
import type { WalletFormat } from '../../contract/wallet/credentials.ts'
import type { HistoryKind, HistoryStatus } from '../../contract/wallet/history.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { STATUS_NOW } from '../presentations/presentation-store.ts'

/**
 * A stored history entry: the sealed view of a presentation, a link or a removed credential, or a credential in the
 * wallet.
 */
export type HistoryRow = {
  readonly id: string
  readonly kind: HistoryKind
  readonly status: HistoryStatus
  readonly isAnswering: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Only for a credential in the wallet, like the next four. */
  readonly format: WalletFormat | null
  readonly vct: string | null
  readonly iss: string | null
  readonly statedIss: string | null
  readonly credentialIssuer: string | null
  /** Only for a credential in the wallet that its issuer has revoked or suspended. */
  readonly standing: 'suspended' | 'revoked' | null
  /** Only for a presentation, a removed credential or a link. */
  readonly sealedView: Buffer | null
  /** Only for a link. */
  readonly link: LinkedRow | null
}

/** What the row of a link has besides its view. Times as PostgreSQL writes them in JSON. */
type LinkedRow = {
  readonly credentialId: string
  readonly views: number
  readonly viewedAt: string | null
  readonly hours: readonly string[]
  readonly counts: readonly number[]
}

/** The filters of the history; undefined matches all. */
export type HistoryFilter = {
  readonly kind?: HistoryKind | undefined
  readonly status?: HistoryStatus | undefined
  readonly credentialId?: string | undefined
  readonly createdAfter?: Date | undefined
  readonly createdBefore?: Date | undefined
}

const OF_USER = 'tenant_id = $1 and user_id = $2'
const HELD = `select id, 'credential' as kind, status, false as "isAnswering", created_at as "createdAt", updated_at as "updatedAt",
    format, vct, iss, stated_iss as "statedIss", credential_issuer as "credentialIssuer", null::bytea as "sealedView",
    null::uuid[] as "credentialIds", null::jsonb as link,
    (select nullif(standing, 'valid') from wallet_credential_standing s where s.tenant_id = c.tenant_id and s.credential_id = c.id) as standing
  from wallet_credential c where ${OF_USER}`
const REMOVED = `select id, 'credential', 'removed', false, created_at, removed_at, null, null, null, null, null,
    sealed_view, null, null, null
  from wallet_removed_credential where ${OF_USER}`
const PRESENTED = `select id, 'presentation', ${STATUS_NOW}, sealed_answer is not null, created_at,
    case when ${STATUS_NOW} = 'expired' then expires_at else updated_at end, null, null, null, null, null,
    sealed_view, credential_ids, null, null
  from wallet_presentation where ${OF_USER}`
const LINK_STATUS = `case when ended_at is not null and ended_at < expires_at then 'ended' when expires_at <= $3 then 'expired' else 'active' end`
const LINKED = `select id, 'sharedLink', ${LINK_STATUS}, false, created_at,
    case when ${LINK_STATUS} = 'expired' then expires_at else coalesce(ended_at, created_at) end, null, null, null, null, null,
    sealed_view, array[credential_id],
    jsonb_build_object('credentialId', credential_id, 'views', views, 'viewedAt', viewed_at, 'hours', view_hours, 'counts', view_counts), null
  from wallet_shared_link where ${OF_USER}`

const page = pagedList({
  name: 'wallet.history',
  select: `select line.* from (${HELD} union all ${REMOVED} union all ${PRESENTED} union all ${LINKED}) as line where true`,
  parameters: 3,
  id: 'line.id',
  filters: {
    kind: {
      credential: `line.kind = 'credential'`,
      presentation: `line.kind = 'presentation'`,
      sharedLink: `line.kind = 'sharedLink'`,
    },
    status: (value) => `line.status = ${value}`,
    credentialId: (value) => `(line.id = ${value}::uuid or ${value}::uuid = any(line."credentialIds"))`,
    createdAfter: (value) => `line."createdAt" >= ${value}`,
    createdBefore: (value) => `line."createdAt" < ${value}`,
  },
})
const listHeldStatement = sql(
  'wallet.history_credentials',
  `select id, vct from wallet_credential where ${OF_USER} and id = any($3::uuid[])`,
)
const listRemovedStatement = sql(
  'wallet.history_removed',
  `select id, sealed_view as "sealedView" from wallet_removed_credential where ${OF_USER} and id = any($3::uuid[])`,
)

/** Returns one page, and one row more if there is a next page. */
export async function listHistoryRows(
  tx: TenantTx,
  userId: UserId,
  filter: HistoryFilter,
  list: PageRequest,
  now: Date,
): Promise<HistoryRow[]> {
  return page<HistoryRow>(tx, list, [tx.tenantId, userId, now], filter)
}

/** Returns the types of credentials of the user; those of removed ones are sealed. */
export async function listKnownCredentials(
  tx: TenantTx,
  userId: UserId,
  ids: readonly string[],
): Promise<{
  readonly held: { readonly id: string; readonly vct: string }[]
  readonly removed: { readonly id: string; readonly sealedView: Buffer }[]
}> {
  const values = [tx.tenantId, userId, ids]
  return { held: await tx.rows(listHeldStatement, values), removed: await tx.rows(listRemovedStatement, values) }
}
