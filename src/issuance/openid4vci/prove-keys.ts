import { fromBase64url } from '../../crypto/base64url.ts'
import { sha256 } from '../../crypto/digest.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { checkCNonce } from '../../protocols/openid4vci/c-nonce.ts'
import type { CredentialRequest } from '../../protocols/openid4vci/credential-request.ts'
import { embeddedAttestation, type ProvedKey, verifyProofs } from '../../protocols/openid4vci/jwt-proof.ts'
import {
  type AttestationPolicy,
  type AttestedKeys,
  parseKeyAttestation,
  verifyKeyAttestation,
} from '../../protocols/openid4vci/key-attestation.ts'
import { lacksChain, trustedAttester } from '../../trust/attesters/trusted-attester.ts'
import type { CredentialTemplate } from '../templates/template.ts'
import { attestationPolicyOf } from '../templates/template.ts'
import { findBatchMax } from '../templates/template-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'config' | 'memory' | 'fetch'>

/**
 * The keys of a request. `bound`: at most the batch size of the template, sorted. `holderKeysHash`: of the whole set.
 */
export type ProvedKeys = {
  readonly requested: readonly ProvedKey[]
  readonly bound: readonly ProvedKey[]
  readonly holderKeysHash: Buffer
  readonly nonces: readonly string[]
}

/** `clientId`: the client that the token was issued to; null: an anonymous wallet. [VCI-P6] */
type ClientCredentialRequest = CredentialRequest & { readonly clientId: string | null }

/**
 * Returns the keys to bind: those that the wallet proves to hold, or that a trusted attester attests, and the nonces to
 * spend. [VCI-C11]
 *
 * @throws Fault `key_proof.invalid`, `nonce.invalid`, `credential_request.invalid`
 */
export async function proveKeys(
  needs: Needs,
  tenant: Tenant,
  request: ClientCredentialRequest,
  { definition }: CredentialTemplate,
  now: Date,
): Promise<ProvedKeys> {
  const batchSize = definition.batchSize ?? 1
  // [VCI-C5] The metadata has one batch size for all credentials of the issuer.
  if ((request.proofs?.length ?? 0) > batchSize) await checkBatch(needs, tenant, request.proofs?.length ?? 0)
  const { keys, nonces } = await provedKeys(
    needs,
    tenant,
    request,
    attestationPolicyOf(definition, policyOf(tenant).issuing),
    now,
  )
  // The keys of an attestation count too.
  if (keys.length > batchSize) await checkBatch(needs, tenant, keys.length)
  const macKey = await needs.sealing.deriveShortLived(tenant.id, 'c-nonce')
  // [SEC-6]
  for (const nonce of nonces) checkCNonce(macKey, nonce, now, needs.config.nonceTtlSeconds)
  return { ...boundKeys(keys, batchSize), nonces }
}

/**
 * Returns which keys get a copy: at most the batch size of the template, in an order that does not depend on that of
 * the request.
 */
export function boundKeys(keys: readonly ProvedKey[], batchSize: number): Omit<ProvedKeys, 'nonces'> {
  const sorted = [...keys].sort((a, b) => (a.thumbprint < b.thumbprint ? -1 : 1))
  return { requested: keys, bound: sorted.slice(0, batchSize), holderKeysHash: hashOfSet(sorted) }
}

/** @param policy null: the template requires no attestation, and one that is sent is ignored. */
async function provedKeys(
  needs: Needs,
  tenant: Tenant,
  { proofs, attestation, clientId }: ClientCredentialRequest,
  policy: AttestationPolicy | null,
  now: Date,
) {
  const expected = { issuer: needs.urls.issuer(tenant.slug), clientId }
  const attested = (text: string) => attestedKeys(needs, tenant, text, policy ?? {}, now)
  if (attestation !== null) {
    // [VCI-P10]
    if (policy === null) throw new Fault('key_proof.invalid', { detail: 'The only supported proof type is jwt.' })
    const { keys, nonce } = await attested(attestation)
    return { keys: keys.map((key) => ({ ...key, nonce })), nonces: [nonce] }
  }
  if (proofs === null) throw new Fault('key_proof.invalid', { detail: 'proofs is missing.' })
  if (policy === null) return verifyProofs(proofs, expected, now)
  const texts = [...new Set(proofs.map(embeddedAttestation))]
  const found = await Promise.all(texts.map(async (text) => [text, await attested(text)] as const))
  return verifyProofs(proofs, { ...expected, attestations: new Map(found) }, now)
}

async function attestedKeys(
  needs: Needs,
  tenant: Tenant,
  text: string,
  policy: AttestationPolicy,
  now: Date,
): Promise<AttestedKeys> {
  const jws = parseKeyAttestation(text)
  const attester = await attesterOf(needs, tenant, jws, now)
  if (policyOf(tenant).issuing.requiresUnanchoredAttesters && lacksChain(jws, attester)) {
    throw new Fault('key_proof.invalid', { detail: 'x5c must name the attester, without its trust anchor.' })
  }
  if (attester === null)
    throw new Fault('key_proof.invalid', { detail: 'The signer of the key attestation is not trusted.' })
  return verifyKeyAttestation(jws, attester.key, { policy }, now)
}

async function attesterOf(needs: Needs, tenant: Tenant, jws: ReturnType<typeof parseKeyAttestation>, now: Date) {
  try {
    return await trustedAttester(needs, tenant.id, jws, now)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new Fault('key_proof.invalid', { detail: 'The signer of the key attestation cannot be resolved.', cause })
  }
}

async function checkBatch({ store }: Needs, tenant: Tenant, count: number): Promise<void> {
  const countMax = await store.single(tenant.id, findBatchMax)
  if (count > countMax) {
    throw new Fault('credential_request.invalid', { detail: `At most ${countMax} proofs are accepted in one request.` })
  }
}

/** Returns the hash of sorted keys: a repeated request with the same keys in another order is the same request. */
function hashOfSet(keys: readonly ProvedKey[]): Buffer {
  return sha256(Buffer.concat(keys.map((key) => fromBase64url(key.thumbprint))))
}
