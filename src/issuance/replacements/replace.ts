import type { Caller, TenantId } from '../../caller.ts'
import type { CreateIssuanceBody } from '../../contract/issuance/issuances.ts'
import type { Actor } from '../../events/audit/entry.ts'
import type { OwnRule } from '../../fault/rules.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { violatedIndex } from '../../store/unique-violation.ts'
import { credentialIdOf, issuanceIdOf } from '../issuances/credential-id.ts'
import { cancelOffered } from '../issuances/issuance-store.ts'
import type { PlannedReplacement, ReplacementPort } from '../issuances/replacement-port.ts'
import { changeStatuses } from '../status/change-status.ts'
import { revocation } from '../status/credential-status.ts'
import {
  findReplaceable,
  findReplaceableByReference,
  insertReplacement,
  listDueReplacements,
  settleReplacement,
} from './replacement-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'journal'>

/** A credential counts as taken this long after it was issued, since many wallets never report what the holder did. */
const TAKEN_AFTER_MS = 600_000
const REPLACEMENTS_PER_TURN = 100

/** Lets a credential take the place of another one. */
export const replacements: ReplacementPort = {
  plan: planReplacement,
  settle: async (needs, caller, id) => {
    await settleReplacements(needs, caller.tenantId, caller, id)
  },
}

async function planReplacement(
  { store, clock }: Pick<Needs, 'store' | 'clock'>,
  { tenantId }: Pick<Caller, 'tenantId'>,
  { replaces, credentialTemplateId: templateId }: Pick<CreateIssuanceBody, 'replaces' | 'credentialTemplateId'>,
): Promise<PlannedReplacement | null> {
  if (replaces === undefined) return null
  const now = clock.now()
  const { id, reference, revoke = 'whenTaken' } = replaces
  const pointer = id === undefined ? '/replaces/reference' : '/replaces/id'
  const refuse = (rule: OwnRule, detail: string, at = pointer) =>
    new Fault('request.invalid', { violations: [{ detail, pointer: at, rule }] })
  if ((id === undefined) === (reference === undefined))
    throw refuse('replaces.which', 'Name what it replaces by its id or by its reference.', '/replaces')
  const found = await store.single(tenantId, (tx) =>
    id === undefined
      ? findReplaceableByReference(tx, { reference: reference ?? '', templateId }, now)
      : findReplaceable(tx, [id, issuanceIdOf(id)], now),
  )
  const [old, other] = found
  if (old === undefined || !(old.isIssued || old.isOpen))
    throw refuse('replaces.unknown', 'There is no credential to replace.')
  if (other !== undefined)
    throw refuse('replaces.ambiguous', 'Several credentials have this reference; name one by its id.')
  if (old.replacedBy !== null)
    throw refuse('replaces.twice', `It is replaced by ${credentialIdOf(old.replacedBy)} already; replace that one.`)
  if (old.isIssued && !old.revocable && revoke !== 'never')
    throw refuse('replaces.irrevocable', 'It cannot be revoked; say "never".', '/replaces/revoke')
  const insert = (tx: TenantTx, newId: string) =>
    orConflict(insertReplacement(tx, { id: newId, oldId: old.id, revoke }))
  return { replaces: { id: old.id, revoke }, reference: old.reference, insert }
}

async function orConflict(inserted: Promise<void>): Promise<void> {
  try {
    await inserted
  } catch (error) {
    if (violatedIndex(error) !== 'replacement_old') throw error
    throw new Fault('state.conflict', { detail: 'The credential is being replaced by another one.', cause: error })
  }
}

/**
 * Does what is due for replacements of a tenant: withdraws the offer of the old credential or revokes it, and ends
 * those that have nothing left to do. What is done twice changes nothing.
 *
 * @param id Of the new issuance; null: all, 100 at most.
 * @returns how many were looked at
 */
export async function settleReplacements(
  needs: Needs,
  tenantId: TenantId,
  by: Actor,
  id: string | null = null,
): Promise<number> {
  const { store, clock } = needs
  const takenBefore = new Date(clock.now().getTime() - TAKEN_AFTER_MS)
  const due = await store.single(tenantId, (tx) => listDueReplacements(tx, takenBefore, REPLACEMENTS_PER_TURN, id))
  for (const one of due) {
    if (!one.isVoid && one.revoke !== 'never') await withdraw(needs, tenantId, by, one.oldId)
    if (one.isVoid || one.isOver)
      await store.single(tenantId, (tx) => settleReplacement(tx, one.id, one.isVoid ? 'void' : 'done'))
  }
  return due.length
}

async function withdraw(needs: Needs, tenantId: TenantId, by: Actor, id: string): Promise<void> {
  const { store, clock } = needs
  const entry = { action: 'issuance.canceled', subject: { kind: 'issuance', id }, by } as const
  const outcome = await store.inTenant(tenantId, (tx) => cancelOffered(tx, id, entry, clock.now()))
  if (outcome !== 'closed') return
  await changeStatuses(needs, tenantId, [credentialIdOf(id)], { ...revocation, reason: 'replaced', by })
}
