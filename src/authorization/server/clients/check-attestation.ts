import type { IncomingHttpHeaders } from 'node:http'
import type { TenantId } from '../../../caller.ts'
import { Fault, faultOf } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import {
  checkAttestationPop,
  checkClientAttestation,
  parseClientAttestation,
} from '../../../protocols/oauth2/client-attestation.ts'
import { lacksChain, trustedAttester } from '../../../trust/attesters/trusted-attester.ts'
import { currentDpopNonce, isCurrentNonce } from '../../access/check-dpop.ts'
import { spendJti } from '../../access/spent-jti-store.ts'
import { admitAddress, countFailure } from './failed-attempts.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'rateLimiter' | 'fetch' | 'config' | 'sealing'>
type Jws = ReturnType<typeof parseClientAttestation>

/** The server that receives an attestation. */
type Receiver = {
  /** Whose attesters are trusted, and where the `jti` is spent. */
  readonly tenantId: TenantId
  /** Issuer identifier of the authorization server, or identifier of the resource: what `aud` of the proof must be. */
  readonly audience: string
  /** [HAIP-8] The attester is named by `x5c` alone, without its trust anchor. */
  readonly needsChain: boolean
  /** A proof of possession without a challenge is refused. Else its `iat` and its `jti` alone show that it is fresh. */
  readonly needsChallenge: boolean
}
/** The attestation of a request and its sender. */
type Sent = { readonly headers: IncomingHttpHeaders; readonly ip: string }

/** A client instance that an attester vouches for. */
export type AttestedClient = {
  readonly clientId: string
  /** Thumbprint of the key of the instance. */
  readonly jkt: string
  /** False: the DPoP proof of the request is to be the proof of possession, so it must be of the key `jkt`. */
  readonly isProven: boolean
}

/**
 * Returns the challenge that proofs of possession must have. It is the DPoP nonce, so that one JWT can be both proofs
 * (draft 10, 8.3).
 */
export function attestationChallenge(needs: Pick<Platform, 'sealing' | 'clock'>): Promise<string> {
  return currentDpopNonce(needs)
}

/**
 * Verifies the client attestation of a request, if it has one, with its proof of possession, and spends the proof: one
 * statement.
 *
 * @returns null: the request has none
 * @throws Fault `client_attestation.invalid`, `client_attestation.stale`, `client_attestation.challenge` with the
 *   challenge to use, `request.rate_limited`
 * @see draft-ietf-oauth-attestation-based-client-auth-10, 8
 */
export async function checkAttestation(
  needs: Needs,
  receiver: Receiver,
  { headers, ip }: Sent,
): Promise<AttestedClient | null> {
  if (!isAttested(headers)) return null
  admitAddress(needs, ip)
  try {
    return await verified(needs, receiver, headers)
  } catch (error) {
    if (error instanceof Fault && error.code === 'client_attestation.invalid') countFailure(needs, ip)
    throw error
  }
}

/** Whether a request has a client attestation, or one of its parts. */
export function isAttested(headers: IncomingHttpHeaders): boolean {
  return headers[ATTESTATION] !== undefined || headers[POP] !== undefined
}

const ATTESTATION = 'oauth-client-attestation'
const POP = 'oauth-client-attestation-pop'

async function verified(needs: Needs, receiver: Receiver, headers: IncomingHttpHeaders): Promise<AttestedClient> {
  const { [ATTESTATION]: attestation, [POP]: pop, dpop } = headers
  // Node joins repeated headers of these names with commas, and never makes lists of them.
  if (typeof attestation !== 'string') throw invalid('The header OAuth-Client-Attestation is missing.')
  const now = needs.clock.now()
  const jws = parseClientAttestation(attestation)
  const instance = checkClientAttestation(jws, await attesterKey(needs, receiver, jws, now), now)
  const { clientId, jkt } = instance
  if (typeof pop === 'string') {
    const { jti, challenge, expiresAt } = checkAttestationPop(pop, instance, { audience: receiver.audience, now })
    await checkChallenge(needs, receiver, challenge)
    const spent = { signer: `attestation ${jkt}`, jti, expiresAt }
    // Draft 10, 12.1: a proof is accepted once
    const isFirst = await needs.store.single(receiver.tenantId, (tx) => spendJti(tx, spent))
    if (!isFirst) throw invalid('The proof of possession was used before.')
    return { clientId, jkt, isProven: true }
  }
  if (typeof dpop !== 'string') throw invalid('The header OAuth-Client-Attestation-PoP is missing.')
  return { clientId, jkt, isProven: false }
}

/**
 * Draft 10: where the server has a challenge endpoint, the client uses it. The server compares a challenge that it
 * provided to the client; a client that asked for none is protected against replay by the `jti`.
 */
async function checkChallenge(needs: Needs, { needsChallenge }: Receiver, challenge: string | null): Promise<void> {
  if (challenge === null ? !needsChallenge : await isCurrentNonce(needs, challenge)) return
  throw new Fault('client_attestation.challenge', { meta: { attestationChallenge: await attestationChallenge(needs) } })
}

async function attesterKey(needs: Needs, { tenantId, needsChain }: Receiver, jws: Jws, now: Date) {
  const attester = await trustedAttester(needs, tenantId, jws, now).catch((cause: unknown) => {
    if (!(cause instanceof Fault)) throw cause
    throw invalid('The attester or the status of the attestation cannot be resolved.', cause)
  })
  // [HAIP-8]
  if (needsChain && lacksChain(jws, attester)) throw invalid('x5c must name the attester, without its trust anchor.')
  if (attester === null) throw invalid('The attester is not trusted, or the attestation is revoked.')
  return attester.key
}

const invalid = faultOf('client_attestation.invalid')
