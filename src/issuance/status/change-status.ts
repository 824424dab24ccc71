import type { TenantId } from '../../caller.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import type { Platform } from '../../platform.ts'
import { statusValues } from '../../protocols/status-list/packed-list.ts'
import type { TenantTx } from '../../store/store.ts'
import { credentialIdOf, issuanceIdOf } from '../issuances/credential-id.ts'
import type { CredentialStatus, StatusReason } from '../issuances/issuance.ts'
import { objectionToStatusChange, type StatusTransition, type UnchangedCredential } from './credential-status.ts'
import { changeCredentialStatus, findUnchanged } from './credential-status-store.ts'
import { journalStatus } from './journal-status.ts'
import { markEntries } from './mark-entries.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'journal'>

/**
 * The result for one id. `status`: current status of the credential, or `unknown`. `code`: why the change was refused.
 */
type StatusChangeResult = {
  readonly id: string
  readonly status: CredentialStatus | 'unknown'
  readonly code?: 'NOT_FOUND' | 'INVALID_STATE' | 'VALIDATION_ERROR'
  readonly detail?: string
  /** The ids of the credentials, when the id is that of an issuance. */
  readonly credentialIds?: string[]
}

/** A change of status, why it is made, and by whom. */
type Change = StatusTransition & { readonly reason: StatusReason | null; readonly by: Actor }

/** Retries when a credential changed concurrently. */
const TRIES_MAX = 3

/**
 * Revokes, suspends or reinstates issued credentials, with audit entries, events and the status list entries of all
 * their copies, in one transaction, and in the revocation journal before the answer. A credential that already has the
 * status is no error. Status lists show the change from the next fetch on.
 *
 * @param ids Of credentials, not of issuances.
 * @param change With the reason, which is kept with the credential and in its audit entry; null: none.
 * @returns one result for each id, in their order
 */
export async function changeStatuses(
  { store, clock, journal }: Needs,
  tenantId: TenantId,
  ids: readonly string[],
  change: Change,
): Promise<StatusChangeResult[]> {
  const requested = [...new Set(ids.map((id) => id.toLowerCase()))]
  const results = new Map<string, StatusChangeResult>()
  for (let tries = 1; tries <= TRIES_MAX && results.size < requested.length; tries += 1) {
    const open = requested.filter((id) => !results.has(id))
    const isLast = tries === TRIES_MAX
    const found = await store.inTenant(tenantId, (tx) => changeSome(tx, open, change, clock.now(), isLast))
    for (const one of found) results.set(one.id, one)
  }
  const made = [...results.values()].filter(({ code }) => code === undefined)
  await journalStatus(
    { store, journal },
    tenantId,
    made.map(({ id }) => id),
  )
  return ids.flatMap((id) => {
    const result = results.get(id.toLowerCase())
    return result === undefined ? [] : [{ ...result, id }]
  })
}

async function changeSome(
  tx: TenantTx,
  ids: readonly string[],
  change: Change,
  now: Date,
  isLast: boolean,
): Promise<StatusChangeResult[]> {
  const changed = await changeCredentialStatus(tx, ids, change, now)
  const results: StatusChangeResult[] = changed.map(({ credentialId, status }) => ({ id: credentialId, status }))
  const done = new Set(results.map(({ id }) => id))
  const others = ids.filter((id) => !done.has(id))
  if (others.length > 0) {
    const unchanged = await findUnchanged(tx, others, now)
    results.push(...others.flatMap((id) => resultOf(id, unchanged, change, isLast) ?? []))
  }
  const reason = change.reason === null ? {} : { reason: change.reason }
  const audited = changed.map(({ credentialId: id, issuanceId, credentialTemplateId }) => {
    const detail = { ...reason, issuanceId, credentialTemplateId }
    return auditStep(tx, { action: change.action, subject: { kind: 'credential', id }, by: change.by, detail }, now)
  })
  await markEntries(tx, changed, statusValues[change.to], audited)
  return results
}

/** @returns null if the change is allowed: it is retried */
function resultOf(
  id: string,
  unchanged: readonly UnchangedCredential[],
  change: StatusTransition,
  isLast: boolean,
): StatusChangeResult | null {
  const credential = unchanged.find(({ issuanceId }) => issuanceId === issuanceIdOf(id))
  if (credential === undefined) {
    if (!unchanged.some(({ issuanceId }) => issuanceId === id))
      return { id, status: 'unknown', code: 'NOT_FOUND', detail: 'There is no such credential.' }
    const credentialIds = [credentialIdOf(id)]
    const detail = `This is the id of an issuance. Send the id of the credential in it: ${credentialIds}.`
    return { id, status: 'unknown', code: 'VALIDATION_ERROR', detail, credentialIds }
  }
  const { status, standing } = credential
  const objection = objectionToStatusChange(credential, change)
  if (objection !== null) return { id, status, code: 'INVALID_STATE', detail: objection }
  if (standing === change.to) return { id, status }
  return isLast
    ? { id, status, code: 'INVALID_STATE', detail: 'The credential is being changed concurrently; try again.' }
    : null
}
