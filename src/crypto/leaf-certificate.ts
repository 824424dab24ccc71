import { type KeyObject, X509Certificate } from 'node:crypto'
import { Fault } from '../fault.ts'

/** What the first certificate of an `x5c` header says. Nothing of it is verified: the chain still wants path validation. */
export type LeafCertificate = { readonly key: KeyObject; readonly subject: string }

/**
 * Reads the certificate at the head of a chain.
 *
 * @param der Standard base64 of DER, as in `x5c` (RFC 7515 4.1.6).
 * @throws Fault `key.unsupported`
 */
export function readLeafCertificate(der: string): LeafCertificate {
  try {
    const { publicKey, subject } = new X509Certificate(Buffer.from(der, 'base64'))
    // Node lists one attribute a line, most general first; RFC 4514 2.1 writes the most specific one first
    return { key: publicKey, subject: subject.split('\n').reverse().join(',') }
  } catch (cause) {
    throw new Fault('key.unsupported', { detail: 'The certificate is malformed.', cause })
  }
}
