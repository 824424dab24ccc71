import { fromBase64url } from '../../crypto/base64url.ts'
import { parseJsonObject } from '../../crypto/json.ts'
import { canonical, type PublicJwk, readPublicJwk } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import { parseDid } from './did.ts'
import { type DidDocument, readDidDocument } from './did-document.ts'
import { fromMultikey } from './multikey.ts'

/**
 * Returns the document of a DID that contains its key; null for a method that needs a fetch.
 *
 * @throws Fault `did.unsupported` if the DID or the key in it is malformed.
 * @see [did:jwk](https://github.com/quartzjer/did-jwk/blob/main/spec.md) and [did:key](https://w3c-ccg.github.io/did-key-spec/)
 */
export function inlineDidDocument(did: string): DidDocument | null {
  const { method, id } = parseDid(did)
  if (method !== 'jwk' && method !== 'key') return null
  const key = method === 'jwk' ? keyOfDidJwk(id) : fromMultikey(id)
  return document(did, method === 'jwk' ? '0' : id, key)
}

function keyOfDidJwk(id: string): PublicJwk {
  try {
    // did:jwk: an encryption key has no relationship for signatures, and is refused
    return readPublicJwk(parseJsonObject(fromBase64url(id), { escapedNames: false }))
  } catch (cause) {
    throw new Fault('did.unsupported', { detail: 'The key in the DID is not usable.', cause })
  }
}

function document(did: string, fragment: string, key: PublicJwk): DidDocument {
  const name = `${did}#${fragment}`
  const method = { id: name, type: 'JsonWebKey2020', controller: did, publicKeyJwk: canonical(key) }
  return readDidDocument(
    { id: did, verificationMethod: [method], authentication: [name], assertionMethod: [name] },
    did,
  )
}
