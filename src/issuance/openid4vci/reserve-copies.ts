import { sha256 } from '../../crypto/digest.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { cNonceIssuedAt } from '../../protocols/openid4vci/c-nonce.ts'
import type { ProvedKey } from '../../protocols/openid4vci/jwt-proof.ts'
import { newId } from '../../store/row-id.ts'
import { nullIfRefused } from '../../store/store.ts'
import { violatedIndex } from '../../store/unique-violation.ts'
import type { PresentedToken } from '../offers/access-token.ts'
import { entryCandidates, LIST_FULL_ENTRIES, type ListKind } from '../status/status-entries.ts'
import {
  type Bound,
  closeStatusList,
  findLack,
  findListKind,
  isBoundToOthers,
  openStatusList,
  type Reservation,
  type Reserved,
  reserveCredential,
} from './credential-store.ts'
import { keepForRefills, refillCopies } from './refill-store.ts'

type Needs = Pick<Platform, 'store'>

/** Retries after a status index collision or a concurrent request for the same copies. */
const TRIES_MAX = 8

/** A verified credential request: its token, the proved keys and the nonces. */
type CopiesRequest = {
  readonly granted: PresentedToken
  readonly revocable: boolean
  readonly bound: readonly ProvedKey[]
  readonly holderKeysHash: Buffer
  readonly nonces: readonly string[]
  /** Which status list its entries are in. */
  readonly listKind: ListKind
  /** When a credential that is issued now ends by its template; null: never. */
  readonly validUntil: Date | null
  /** Recorded when the credential is bound for the first time. */
  readonly entry: AuditEntry
  /** Whether the wallet may get new copies for other keys; null: it may not. */
  readonly refill: Refill
}

type Refill = { readonly days: number; readonly times: number } | null

/**
 * Binds the credential to the keys, takes its entries of the status list and completes the issuance, or finds what the
 * same keys got before.
 *
 * Other keys get copies of their own where the template allows it (OpenID4VCI 1.0, 14.3).
 *
 * @throws Fault `nonce.invalid` if a nonce was used, `credential_request.denied` if other keys have the credential or
 *   it is closed
 */
export async function reserveCopies(
  { store }: Needs,
  tenant: Tenant,
  { granted, revocable, bound, holderKeysHash, nonces, listKind, validUntil, entry, refill }: CopiesRequest,
  now: Date,
): Promise<Bound> {
  const { id, tokenHash } = granted
  const reservation = {
    id,
    tokenHash,
    holderKeysHash,
    copies: bound.length,
    nonceHashes: nonces.map(sha256),
    noncesMadeAt: nonces.map(cNonceIssuedAt),
    listKind,
    validUntil,
  }
  // Asking for new copies is no error that PostgreSQL logs.
  const isOther = refill !== null && (await store.single(tenant.id, (tx) => isBoundToOthers(tx, reservation)))
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const candidates = revocable ? entryCandidates(bound.length) : []
    const reserved = isOther
      ? ({ outcome: 'denied' } as const)
      : await tryReserve({ store }, tenant, { ...reservation, candidates }, entry, now)
    if (reserved?.outcome === 'reserved') {
      if (refill !== null) await store.single(tenant.id, (tx) => keepForRefills(tx, id, refill.days))
      return reserved
    }
    if (reserved?.outcome === 'denied') {
      const refilled =
        refill === null
          ? null
          : await tryRefill({ store }, tenant, { ...reservation, candidates }, { refill, entry }, now)
      if (refilled === 'again') continue
      if (refilled === null) throw new Fault('credential_request.denied')
      return refilled
    }
    if (reserved?.outcome === 'no_entries') {
      await store.single(tenant.id, (tx) => closeStatusList(tx, LIST_FULL_ENTRIES, listKind, now))
    }
    if (reserved !== null) await store.single(tenant.id, (tx) => openStatusList(tx, newId(), listKind, now))
  }
  throw new Error('no entry of the status list could be taken')
}

/** @returns null if a concurrent request took an entry or the same credential: retry */
async function tryReserve(
  { store }: Pick<Needs, 'store'>,
  tenant: Tenant,
  reservation: Reservation,
  entry: AuditEntry,
  now: Date,
): Promise<Reserved | null> {
  const reserving = store.single(tenant.id, (tx) => reserveCredential(tx, reservation, entry, now))
  const bound = await nullOnCollision(nullIfRefused(reserving).then((row) => ({ row })))
  if (bound === null) return null
  if (bound.row === null) {
    const outcome = await store.single(tenant.id, (tx) => findLack(tx, reservation, now))
    return outcome === null ? null : { outcome }
  }
  const { isOpen, entries, ...more } = bound.row
  const kind = entries === null || isOpen ? {} : await store.single(tenant.id, (tx) => findListKind(tx, entries.listId))
  return { ...more, outcome: 'reserved', entries: entries === null ? null : { ...entries, ...kind } }
}

/** @returns null if the wallet gets no new copies; `again`: a concurrent request took an entry */
async function tryRefill(
  { store }: Pick<Needs, 'store'>,
  tenant: Tenant,
  reservation: Reservation,
  { refill, entry }: { readonly refill: NonNullable<Refill>; readonly entry: AuditEntry },
  now: Date,
): Promise<Bound | 'again' | null> {
  const about = { ...entry, action: 'issuance.refilled' } as const
  const refilled = store.inTenant(tenant.id, async (tx) => ({
    row: await refillCopies(tx, reservation, refill.times, about, now),
  }))
  const found = await nullOnCollision(refilled)
  if (found === null) return 'again'
  if (found.row === null) return null
  const { issuedAt, sealedClaims, ownValidFrom, ownValidUntil, indices, listId, authorityId, kid } = found.row
  const entries = listId === null ? null : { listId, indices, authorityId, kid }
  return { issuedAt, sealedClaims, ownValidFrom, ownValidUntil, entries }
}

/**
 * @returns null if a concurrent request took an entry of the status list
 * @throws Fault `nonce.invalid` if a nonce was used
 */
async function nullOnCollision<T>(reserving: Promise<T>): Promise<T | null> {
  try {
    return await reserving
  } catch (error) {
    const constraint = violatedIndex(error)
    // [VCI-N2] a nonce is accepted once
    if (constraint === 'spent_nonce_pkey') throw new Fault('nonce.invalid')
    if (constraint === 'status_entry_pkey') return null
    throw error
  }
}
