import { sha256 } from '../../crypto/digest.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { cNonceIssuedAt } from '../../protocols/openid4vci/c-nonce.ts'
import type { ProvedKey } from '../../protocols/openid4vci/jwt-proof.ts'
import { newId } from '../../store/row-id.ts'
import { violatedIndex } from '../../store/unique-violation.ts'
import type { PresentedToken } from '../offers/access-token.ts'
import { entryCandidates, LIST_FULL_ENTRIES, type ListKind } from '../status/status-entries.ts'
import {
  type Bound,
  closeStatusList,
  openStatusList,
  type Reservation,
  type Reserved,
  reserveCredential,
} from './credential-store.ts'

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
  /** Recorded when the credential is bound for the first time. */
  readonly entry: AuditEntry
}

/**
 * Binds the credential to the keys, takes its entries of the status list and completes the issuance, or finds what the same keys got before.
 *
 * @throws Fault `nonce.invalid` if a nonce was used, `credential_request.denied` if other keys have the credential or it is closed
 */
export async function reserveCopies(
  { store }: Needs,
  tenant: Tenant,
  { granted, revocable, bound, holderKeysHash, nonces, listKind, entry }: CopiesRequest,
  now: Date,
): Promise<Bound> {
  const { id, tokenHash } = granted
  const reservation = {
    ...{ id, tokenHash, holderKeysHash, copies: bound.length },
    nonceHashes: nonces.map(sha256),
    noncesMadeAt: nonces.map(cNonceIssuedAt),
    listKind,
  }
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const candidates = revocable ? entryCandidates(bound.length) : []
    const reserved = await tryReserve({ store }, tenant, { ...reservation, candidates }, entry, now)
    if (reserved?.outcome === 'reserved') return reserved
    if (reserved?.outcome === 'denied') throw new Fault('credential_request.denied')
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
  try {
    return await store.single(tenant.id, (tx) => reserveCredential(tx, reservation, entry, now))
  } catch (error) {
    const constraint = violatedIndex(error)
    // [VCI-N2] a nonce is accepted once
    if (constraint === 'spent_nonce_pkey') throw new Fault('nonce.invalid')
    if (constraint === 'status_entry_pkey') return null
    throw error
  }
}
