import type { TenantId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

/** The revocation list of a root, and what the next one is made from. */
export type ListState = {
  readonly number: number
  readonly revision: number
  /** The list as it was last signed; null: there is none, or it lacks a revocation. */
  readonly current: { readonly der: Buffer; readonly nextUpdate: Date } | null
  /** null: never more. */
  readonly reissueAt: Date | null
  readonly root: { readonly der: Buffer; readonly keyId: string; readonly notAfter: Date }
}
/** A list that was just signed. */
export type SignedList = {
  readonly number: number
  readonly der: Buffer
  readonly nextUpdate: Date
  readonly reissueAt: Date | null
}
/** One entry of a list. */
export type RevokedRow = { readonly serial: Buffer; readonly revokedAt: Date }

type StateRow = {
  number: number
  revision: number
  issued_revision: number | null
  der: Buffer | null
  next_update: Date | null
  reissue_at: Date | null
  root_der: Buffer
  key_id: string
  not_after: Date
}

const selectState = sql(
  'trust.revocation_list.find',
  `select l.number, l.revision, l.issued_revision, l.der, l.next_update, l.reissue_at, c.der as root_der, c.key_id, c.not_after
   from certificate_revocation_list l join certificate c on c.tenant_id = l.tenant_id and c.id = l.certificate_id
   where l.tenant_id = $1 and l.certificate_id = $2`,
)
const selectRevoked = sql(
  'trust.revocation_list.revoked',
  `select c.serial, coalesce(c.revoked_at, p.revoked_at) as revoked_at
   from certificate c join certificate p on p.tenant_id = c.tenant_id and p.id = c.parent_id
   where c.tenant_id = $1 and c.parent_id = $2 and (c.status = 'revoked' or p.status = 'revoked') order by c.id`,
)
const updateList = sql(
  'trust.revocation_list.issue',
  `update certificate_revocation_list set number = $4, der = $5, next_update = $6, issued_revision = $7,
     reissue_at = case when revision = $7 then $8::timestamptz else reissue_at end
   where tenant_id = $1 and certificate_id = $2 and number = $3 returning certificate_id`,
)
const selectDue = sql(
  'trust.revocation_list.due',
  'select tenant_id, certificate_id from certificate_revocation_list where reissue_at <= $1 order by reissue_at limit 500',
)

/** The list of a root; null if there is no such root. */
export async function findListState(tx: TenantTx, rootId: string): Promise<ListState | null> {
  const [row] = await tx.rows<StateRow>(selectState, [tx.tenantId, rootId])
  if (row === undefined) return null
  const { number, revision, der, next_update: nextUpdate, reissue_at: reissueAt } = row
  const isCurrent = der !== null && nextUpdate !== null && row.issued_revision === revision
  const root = { der: row.root_der, keyId: row.key_id, notAfter: row.not_after }
  return { number, revision, current: isCurrent ? { der, nextUpdate } : null, reissueAt, root }
}

/** What is revoked below a root, also because the root itself is. Read after its {@link ListState.revision}, never before. */
export async function listRevoked(tx: TenantTx, rootId: string): Promise<RevokedRow[]> {
  const rows = await tx.rows<{ serial: Buffer; revoked_at: Date }>(selectRevoked, [tx.tenantId, rootId])
  return rows.map((row) => ({ serial: row.serial, revokedAt: row.revoked_at }))
}

/**
 * Keeps a list that was made from `before`. It stays due if something was revoked meanwhile.
 *
 * @returns false if somebody else made the list of that number
 */
export async function keepList(
  tx: TenantTx,
  rootId: string,
  before: Pick<ListState, 'number' | 'revision'>,
  list: SignedList,
): Promise<boolean> {
  const { number, der, nextUpdate, reissueAt } = list
  const values = [tx.tenantId, rootId, before.number, number, der, nextUpdate, before.revision, reissueAt]
  return (await tx.rows(updateList, values)).length === 1
}

/** The lists of all tenants that are to be made anew. */
export async function listDueLists(tx: AcrossTx, now: Date): Promise<{ tenantId: TenantId; rootId: string }[]> {
  const rows = await tx.rows<{ tenant_id: TenantId; certificate_id: string }>(selectDue, [now])
  return rows.map((row) => ({ tenantId: row.tenant_id, rootId: row.certificate_id }))
}
