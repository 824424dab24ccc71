import { isSelfIssued } from '../x509/certificate.ts'
import { readChain } from './anchor.ts'

const CERTIFICATES_MAX = 6

/**
 * Whether a header has its chain as HAIP demands: `x5c` in which no certificate is self-signed, neither that of the
 * signer nor the trust anchor. NOT checked: the chain. [X5-5]
 *
 * @param x5c The header member as received: base64 of DER, leaf first.
 * @see [HAIP 1.0, 4.4.1, 4.5.1, 5 and 6.1.1](https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0.html)
 */
export function isUnanchoredChain(x5c: unknown): boolean {
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > CERTIFICATES_MAX) return false
  const chain = readChain(x5c.map((one) => Buffer.from(typeof one === 'string' ? one : '', 'base64')))
  return chain !== null && !chain.some(isSelfIssued)
}
