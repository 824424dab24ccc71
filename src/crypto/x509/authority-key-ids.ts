import { Fault } from '../../fault.ts'
import { toBase64url } from '../base64url.ts'
import { readCertificate } from './certificate.ts'

/**
 * Returns the authority key identifiers that the certificates (DER) state, as base64url. A certificate that cannot be
 * parsed states none.
 */
export function authorityKeyIdsOf(chain: readonly Uint8Array[]): readonly string[] {
  return chain.flatMap((der) => {
    try {
      const { authorityKeyId } = readCertificate(der).extensions
      return authorityKeyId === null ? [] : toBase64url(authorityKeyId)
    } catch (error) {
      if (error instanceof Fault) return []
      throw error
    }
  })
}
