import type { TenantId } from '../../caller.ts'
import { sha256Base64url } from '../../crypto/digest.ts'
import type { Jws } from '../../crypto/jws.ts'
import type { AnchorSet } from '../../crypto/x509-path/anchor.ts'
import { isUnanchoredChain } from '../../crypto/x509-path/unanchored-chain.ts'
import { Fault } from '../../fault.ts'
import { looksLikeDid } from '../../protocols/did/did.ts'
import { issuerKeySource } from '../../protocols/sd-jwt-vc/issuer-key.ts'
import { didKey } from '../did/did-key.ts'
import { keyIdsOf } from '../issuers/certified-issuer.ts'
import type { ResolvedIssuer } from '../issuers/resolve-issuer.ts'
import type { TrustNeeds } from '../lookups/needs.ts'
import { validateWithRevocation } from '../revocation/revocation-lists.ts'
import { readStatus } from '../status-lists/check-status.ts'
import { type TrustSource, trustedAnchors, trustedEntitiesFor } from '../trusted-entities/tenant-trust.ts'

type Needs = Omit<TrustNeeds, 'tenantId'> & TrustSource
/** `isUnanchored`: it is named by a chain of certificates, none of which is self-signed. [X5-5] */
type Attester = Pick<ResolvedIssuer, 'issuer' | 'mechanism' | 'key' | 'keyIds'> & { readonly isUnanchored: boolean }
/**
 * A valid chain. `anchors`: those that it was validated with, which are replaced when the trust of the tenant is read
 * again.
 */
type ValidChain = { readonly anchors: AnchorSet; readonly attester: Attester }

/**
 * Returns the attester that signed an attestation of keys or of a wallet, if a trusted entity with the purpose
 * `attester` names it: by a chain to one of its certificates, or by a `kid` that is a key of one of its DIDs. The
 * status of the attestation is checked, if it has one. [VCI-K6]
 *
 * NOT checked: the signature, and what the attestation says.
 *
 * @returns null if the attester is not trusted, or the attestation is revoked or suspended
 * @throws Fault `upstream.*` if the attester or the status list is out of reach
 */
export async function trustedAttester(
  needs: Needs,
  tenantId: TenantId,
  attestation: Pick<Jws, 'header' | 'payload'>,
  now: Date,
): Promise<Attester | null> {
  const attester = await attesterOf(needs, tenantId, attestation, now)
  if (attester === null) return null
  const { status } = attestation.payload
  if (status === undefined) return attester
  const { findings } = await readStatus({ ...needs, tenantId }, status, attester, now, () =>
    trustedAnchors(needs, tenantId),
  )
  return findings.length === 0 ? attester : null
}

/**
 * Returns whether an attestation does not name its attester as HAIP 1.0 demands: by `x5c`, without the trust anchor. An
 * attester that is not trusted, and that no `x5c` names, is refused for the latter.
 *
 * @param attester What {@link trustedAttester} returned.
 */
export function lacksChain({ header }: Pick<Jws, 'header'>, attester: Attester | null): boolean {
  return attester === null ? !Object.hasOwn(header, 'x5c') : !attester.isUnanchored
}

async function attesterOf(
  needs: Needs,
  tenantId: TenantId,
  { header }: Pick<Jws, 'header'>,
  now: Date,
): Promise<Attester | null> {
  if (Object.hasOwn(header, 'x5c')) return certified(needs, tenantId, header, now)
  const { kid } = header
  if (typeof kid !== 'string' || !looksLikeDid(kid)) return null
  const did = kid.slice(0, kid.indexOf('#'))
  const entities = await trustedEntitiesFor(needs, tenantId, 'attester')
  // Before anything is fetched: the address of a DID comes from the wallet.
  if (!entities.some(({ dids }) => dids.some((one) => one.did === did))) return null
  const key = await didKey({ ...needs, tenantId }, did, kid, now)
  return { issuer: did, mechanism: 'did', key, keyIds: [], isUnanchored: false }
}

/** All wallets of a provider send its chain with each request, so a valid one is not validated again for seconds. */
async function certified(needs: Needs, tenantId: TenantId, header: Jws['header'], now: Date): Promise<Attester | null> {
  const anchors = await trustedAnchors(needs, tenantId)
  const cache = needs.memory.cache<ValidChain>('trust.attester_chains')
  const name = `${tenantId} ${sha256Base64url(JSON.stringify(header.x5c))}`
  const kept = cache.get(name, now)
  if (kept?.anchors === anchors) return kept.attester
  const ask = { chain: chainOf(header), anchors, purpose: 'attester', at: now } as const
  const { ok, leaf, path } = await validateWithRevocation({ ...needs, tenantId }, ask, now)
  if (!ok || leaf?.publicKey == null) return null
  const isUnanchored = isUnanchoredChain(header.x5c)
  const about = { issuer: leaf.subject.text, mechanism: 'x5c', key: leaf.publicKey } as const
  const attester = { ...about, keyIds: keyIdsOf(path), isUnanchored }
  cache.set(name, { anchors, attester }, now, Math.min(...path.map(({ notAfter }) => notAfter.getTime())))
  return attester
}

function chainOf(header: Jws['header']): readonly Buffer[] {
  try {
    const source = issuerKeySource({ header, payload: {} })
    return source.mechanism === 'x5c' ? source.chain.map((one) => Buffer.from(one, 'base64')) : []
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}
