import type { JsonObject } from '../../crypto/json.ts'
import { isSelfIssued } from '../../crypto/x509/certificate.ts'
import { readChain } from '../../crypto/x509-path/anchor.ts'

/**
 * Whether an attestation names its attester as the profile demands: by `x5c`, in which no certificate is self-signed, neither that of the
 * attester nor the trust anchor. NOT checked: the chain. [HAIP-8] [HAIP-9]
 *
 * @see [HAIP 1.0, 4.4.1 and 4.5.1](https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0.html#section-4.4.1)
 */
export function hasAttesterChain({ x5c }: JsonObject): boolean {
  if (!Array.isArray(x5c) || x5c.length === 0) return false
  const chain = readChain(x5c.map((one) => Buffer.from(typeof one === 'string' ? one : '', 'base64')))
  return chain !== null && !chain.some(isSelfIssued)
}
