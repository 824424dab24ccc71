import type { PublicJwk } from '../../crypto/jwk.ts'
import { type KeyPurpose, keyFor, readDidDocument } from '../../protocols/did/did-document.ts'
import { didWebUrl } from '../../protocols/did/did-web.ts'
import { inlineDidDocument } from '../../protocols/did/inline-did.ts'
import { readFetched } from '../lookups/fetched-json.ts'
import type { TrustNeeds } from '../lookups/needs.ts'

const accept = ['application/did+json', 'application/did+ld+json', 'application/json', 'application/ld+json']

/**
 * Returns a key of a DID, by default one for issuing.
 *
 * @param kid DID URL of the key; null: the only key of that purpose.
 * @throws Fault `did.unsupported`, `did.unresolvable`, `upstream.*`
 */
export async function didKey(
  needs: TrustNeeds,
  did: string,
  kid: string | null,
  now: Date,
  purpose: KeyPurpose = 'assertionMethod',
): Promise<PublicJwk> {
  const inline = inlineDidDocument(did)
  if (inline !== null) return keyFor(inline, kid, purpose)
  // a development server behind TLS reaches itself by TLS too
  const url = didWebUrl(did, needs.config.isDevelopment && needs.config.publicUrl.startsWith('http:'))
  return readFetched(needs, { url, accept, now }, (value) => keyFor(readDidDocument(value, did), kid, purpose))
}
