import type { TenantId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

/** The revocation list of a root, and what the next one is made from. `revision` grows with each revocation. */
export type ListState = {
  readonly number: number
  readonly revision: number
  /** The list that was last signed; null if there is none or it lacks a revocation. */
  readonly current: { readonly der: Buffer; readonly nextUpdate: Date } | null
  /** When the next list is due; null if never again. */
  readonly reissueAt: Date | null
  readonly root: { readonly der: Buffer; readonly keyId: string; readonly notAfter: Date }
}
/** A newly signed list. */
type SignedList = {
  readonly number: number
  readonly der: Buffer
  readonly nextUpdate: Date
  readonly reissueAt: Date | null
}
/** One entry of a list. */
type RevokedRow = { readonly serial: Buffer; readonly revokedAt: Date }

type StateRow = Omit<ListState, 'current' | 'root'> & {
  readonly issuedRevision: number | null
  readonly der: Buffer | null
  readonly nextUpdate: Date | null
  readonly rootDer: Buffer
  readonly keyId: string
  readonly notAfter: Date
}

const selectState = sql(
  'trust.find_revocation_list',
  `select l.number, l.revision, l.issued_revision as "issuedRevision", l.der, l.next_update as "nextUpdate", l.reissue_at as "reissueAt",
     c.der as "rootDer", c.key_id as "keyId", c.not_after as "notAfter"
   from certificate_revocation_list l join certificate c on c.tenant_id = l.tenant_id and c.id = l.certificate_id
   where l.tenant_id = $1 and l.certificate_id = $2`,
)
const selectRevoked = sql(
  'trust.list_revoked',
  `select c.serial, coalesce(c.revoked_at, p.revoked_at) as "revokedAt"
   from certificate c join certificate p on p.tenant_id = c.tenant_id and p.id = c.parent_id
   where c.tenant_id = $1 and c.parent_id = $2 and (c.status = 'revoked' or p.status = 'revoked') order by c.id`,
)
const updateList = sql(
  'trust.update_revocation_list',
  `update certificate_revocation_list set number = $4, der = $5, next_update = $6, issued_revision = $7,
     reissue_at = case when revision = $7 then $8::timestamptz else reissue_at end
   where tenant_id = $1 and certificate_id = $2 and number = $3 returning certificate_id`,
)
const selectDue = sql(
  'trust.list_due_revocation_lists',
  `select tenant_id as "tenantId", certificate_id as id from certificate_revocation_list
   where reissue_at <= $1 order by reissue_at limit 500`,
)

/** Returns the list of a root; null if there is no such root. */
export async function findListState(tx: TenantTx, rootId: string): Promise<ListState | null> {
  const [row] = await tx.rows<StateRow>(selectState, [tx.tenantId, rootId])
  if (row === undefined) return null
  const { number, revision, issuedRevision, der, nextUpdate, reissueAt, rootDer, keyId, notAfter } = row
  const isCurrent = der !== null && nextUpdate !== null && issuedRevision === revision
  const root = { der: rootDer, keyId, notAfter }
  return { number, revision, current: isCurrent ? { der, nextUpdate } : null, reissueAt, root }
}

/**
 * Returns what is revoked below a root, be it because the root itself is. To be read after {@link ListState.revision}:
 * a revocation between the two then leaves the list due.
 */
export async function listRevoked(tx: TenantTx, rootId: string): Promise<RevokedRow[]> {
  return tx.rows<RevokedRow>(selectRevoked, [tx.tenantId, rootId])
}

/**
 * Stores a list that was made from `before`. It stays due if a certificate was revoked meanwhile.
 *
 * @returns false if another process has stored the list of that number
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

/** Returns the roots of all tenants whose revocation list is due, at most 500. */
export async function listDueLists(tx: AcrossTx, now: Date): Promise<{ tenantId: TenantId; id: string }[]> {
  return tx.rows(selectDue, [now])
}
