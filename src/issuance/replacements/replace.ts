import type { Caller, TenantId } from '../../caller.ts'
import type { CreateIssuanceBody } from '../../contract/issuance/issuances.ts'
import type { Actor } from '../../events/audit/entry.ts'
import type { OwnRule } from '../../fault/rules.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { violatedIndex } from '../../store/unique-violation.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import { cancelOffered } from '../issuances/issuance-store.ts'
import type { PlannedReplacement, ReplacementPort } from '../issuances/replacement-port.ts'
import { changeStatuses } from '../status/change-status.ts'
import { revocation } from '../status/credential-status.ts'
import { findReplaceables, type ReplaceableIn, type ReplacementScope } from './find-replaceables.ts'
import { type DueAsk, endReplacements, insertReplacements, listDueReplacements } from './replacement-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'journal'>

/** What a new credential replaces, as in a request. */
export type ReplacementAsk = NonNullable<CreateIssuanceBody['replaces']>

/** A credential counts as taken this long after it was issued, since many wallets never report what the holder did. */
const TAKEN_AFTER_MS = 600_000
/** Replacements that are looked at together. */
const REPLACEMENTS_PER_TURN = 100

/** Lets a credential take the place of another one. */
export const replacements: ReplacementPort = {
  plan: planReplacement,
  settle: async (needs, caller, id) => {
    await settleReplacements(needs, caller.tenantId, caller, { ids: [id] })
  },
}

async function planReplacement(
  needs: Pick<Needs, 'store' | 'clock'>,
  { tenantId }: Pick<Caller, 'tenantId'>,
  { replaces, credentialTemplateId: templateId }: Pick<CreateIssuanceBody, 'replaces' | 'credentialTemplateId'>,
): Promise<PlannedReplacement | null> {
  if (replaces === undefined) return null
  const [planned] = await planReplacements(needs, tenantId, { templateId, batchId: null }, [replaces])
  if (planned instanceof Fault) throw planned
  return planned ?? null
}

/**
 * Finds what new credentials are to replace, each by itself: that two replace the same one is not found here.
 *
 * @param asked Any number: of a thousand each the credentials are found by two statements.
 * @returns for each the plan, or the fault `request.invalid` if it cannot be replaced, or not as asked
 */
export async function planReplacements(
  { store, clock }: Pick<Needs, 'store' | 'clock'>,
  tenantId: TenantId,
  scope: ReplacementScope,
  asked: readonly ReplacementAsk[],
): Promise<readonly (PlannedReplacement | Fault)[]> {
  const found = await findReplaceables({ store, clock }, tenantId, scope, asked)
  return asked.map((one) => planOne(one, found))
}

function planOne(ask: ReplacementAsk, { byId, byReference }: ReplaceableIn): PlannedReplacement | Fault {
  const { id, reference, revoke = 'whenTaken' } = ask
  if ((id === undefined) === (reference === undefined))
    return refusal('replaces.which', 'Name what it replaces by its id or by its reference.', '/replaces')
  const [old, other] = id === undefined ? byReference(reference ?? '') : byId(id)
  const pointer = pointerOf(ask)
  if (old === undefined || !(old.isIssued || old.isOpen))
    return refusal('replaces.unknown', 'There is no credential to replace.', pointer)
  if (other !== undefined)
    return refusal('replaces.ambiguous', 'Several credentials have this reference; name one by its id.', pointer)
  if (old.replacedBy !== null) {
    const by = credentialIdOf(old.replacedBy)
    return refusal('replaces.twice', `It is replaced by ${by} already; replace that one.`, pointer)
  }
  if (old.isIssued && !old.revocable && revoke !== 'never')
    return refusal('replaces.irrevocable', 'It cannot be revoked; say "never".', '/replaces/revoke')
  const insert = (tx: TenantTx, newId: string) =>
    orConflict(insertReplacements(tx, [{ id: newId, oldId: old.id, revoke }]))
  return { replaces: { id: old.id, revoke }, reference: old.reference, insert }
}

/** Returns the refusal of an item whose credential an earlier item of its batch replaces. */
export function replacedTwice(ask: ReplacementAsk): Fault {
  return refusal('replaces.twice', 'An earlier item replaces this credential already.', pointerOf(ask))
}

function pointerOf({ id }: ReplacementAsk): string {
  return id === undefined ? '/replaces/reference' : '/replaces/id'
}

function refusal(rule: OwnRule, detail: string, pointer: string): Fault {
  return new Fault('request.invalid', { violations: [{ detail, pointer, rule }] })
}

async function orConflict(inserted: Promise<void>): Promise<void> {
  try {
    await inserted
  } catch (error) {
    if (!isReplacedMeanwhile(error)) throw error
    throw new Fault('state.conflict', { detail: 'The credential is being replaced by another one.', cause: error })
  }
}

/** Whether an error says that another credential has taken the place of the same one since it was planned. */
export function isReplacedMeanwhile(error: unknown): boolean {
  return violatedIndex(error) === 'replacement_old'
}

/**
 * Does what is due for replacements of a tenant: withdraws the offers of old credentials or revokes them, and ends
 * those replacements that have nothing left to do. What is done twice changes nothing.
 *
 * @param ask Of which new issuances; by default of all, the first hundred behind `after`.
 * @returns the last one that was looked at where more may be due, else null
 */
export async function settleReplacements(
  needs: Needs,
  tenantId: TenantId,
  by: Actor,
  { ids = null, after = null }: Partial<Omit<DueAsk, 'limit'>>,
): Promise<string | null> {
  const { store, clock } = needs
  const takenBefore = new Date(clock.now().getTime() - TAKEN_AFTER_MS)
  const limit = ids?.length ?? REPLACEMENTS_PER_TURN
  const due = await store.single(tenantId, (tx) => listDueReplacements(tx, takenBefore, { ids, after, limit }))
  const withdrawn = due.filter(({ isVoid, revoke }) => !isVoid && revoke !== 'never')
  await withdraw(
    needs,
    tenantId,
    by,
    withdrawn.map(({ oldId }) => oldId),
  )
  const ended = due
    .filter(({ isVoid, isOver }) => isVoid || isOver)
    .map(({ id, isVoid }) => ({ id, outcome: isVoid ? ('void' as const) : ('done' as const) }))
  if (ended.length > 0) await store.single(tenantId, (tx) => endReplacements(tx, ended))
  return due.length < limit ? null : (due.at(-1)?.id ?? null)
}

/** Cancels open offers, and revokes what is issued. @param ids Of the issuances, at most a thousand. */
async function withdraw(needs: Needs, tenantId: TenantId, by: Actor, ids: readonly string[]): Promise<void> {
  const { store, clock } = needs
  const closed: string[] = []
  for (const id of ids) {
    const entry = { action: 'issuance.canceled', subject: { kind: 'issuance', id }, by } as const
    const outcome = await store.inTenant(tenantId, (tx) => cancelOffered(tx, id, entry, clock.now()))
    if (outcome === 'closed') closed.push(credentialIdOf(id))
  }
  if (closed.length > 0) await changeStatuses(needs, tenantId, closed, { ...revocation, reason: 'replaced', by })
}
