import type { JsonObject } from '../../crypto/json.ts'
import type { VerificationKey } from '../../crypto/jwk.ts'
import { keyIdsOfBits } from '../../crypto/x509/key-identifier.ts'
import type { AnchorSet } from '../../crypto/x509-path/anchor.ts'
import { validatePath } from '../../crypto/x509-path/validate-path.ts'
import { issuerKeySource } from '../../protocols/sd-jwt-vc/issuer-key.ts'
import type { ResolvedIssuer } from '../issuers/resolve-issuer.ts'

/**
 * [TS-10] Returns the key that must have signed the status list of a certified issuer: that of a certificate under the
 * same anchor, if the anchor is trusted for status too [X5-4], else the issuer's own.
 *
 * @throws Fault `issuer.undiscoverable` if the chain in the list is malformed
 */
export function certifiedStatusKey(
  header: JsonObject,
  issuer: Pick<ResolvedIssuer, 'key' | 'keyIds'>,
  anchors: AnchorSet,
  now: Date,
): VerificationKey {
  if (!Object.hasOwn(header, 'x5c')) return issuer.key
  const source = issuerKeySource({ header, payload: {} })
  const chain = source.mechanism === 'x5c' ? source.chain.map((one) => Buffer.from(one, 'base64')) : []
  return statusKeyUnder(chain, issuer, anchors, now)
}

/** As {@link certifiedStatusKey}, for the chain itself: DER, leaf first; empty if the list has none. */
export function statusKeyUnder(
  chain: readonly Uint8Array[],
  issuer: Pick<ResolvedIssuer, 'key' | 'keyIds'>,
  anchors: AnchorSet,
  now: Date,
): VerificationKey {
  if (chain.length === 0) return issuer.key
  const { leaf, anchor } = validatePath({ chain, anchors, purpose: 'status', at: now })
  const [anchorId] = anchor === null ? [] : keyIdsOfBits(anchor.certificate.keyBits)
  const isSameAnchor = anchorId !== undefined && issuer.keyIds.includes(anchorId)
  return isSameAnchor && leaf?.publicKey ? leaf.publicKey : issuer.key
}
