import { foreignText } from '../../protocols/foreign-text.ts'
import type { Verifier } from './api-types.ts'

/**
 * Returns how a verifier is called on a page. What it calls itself counts only where the organisation of the holder knows it; else it is its
 * host, which the answer goes to.
 */
export function verifierName({ name, statedName, trusted, responseHost, authenticated }: Verifier): string {
  const isReadable = !/^(did:|CN=|[\w.-]+:)/.test(name)
  if (trusted) return foreignText(isReadable ? name : (statedName ?? name), 100) ?? responseHost
  return foreignText(authenticated && isReadable ? name : responseHost, 100) ?? responseHost
}
