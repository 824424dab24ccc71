import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { canonical, type PublicJwk, readPublicJwk } from '../../crypto/jwk.ts'
import { Fault, faultOf } from '../../fault.ts'
import { parseDid } from './did.ts'
import { fromMultikey } from './multikey.ts'

/** Purpose of a key: `assertionMethod` to issue, `authentication` to act as the DID. */
export type KeyPurpose = 'assertionMethod' | 'authentication'

/** A DID document whose `id` is the requested DID. Its keys are parsed on use. */
export type DidDocument = { readonly did: string; readonly document: JsonObject }

const METHODS_MAX = 64

/**
 * Checks the subject of a DID document.
 *
 * @throws Fault `did.unresolvable` if its `id` is another DID: the host of a document does not control other DIDs.
 * @see [DID Core, 5.1.1](https://www.w3.org/TR/did-core/#did-subject)
 */
export function readDidDocument(value: unknown, did: string): DidDocument {
  if (!isJsonObject(value) || memberOf(value, 'id') !== did)
    throw unresolvable('The DID document is not about this DID.')
  return { did, document: value }
}

/**
 * Returns the key of a DID document for a purpose.
 *
 * @param kid DID URL of the key, or its fragment with `#`; null for the only key of the purpose.
 * @throws Fault `did.unresolvable` if the key is missing, has another purpose, or is of an unsupported kind.
 * @see [DID Core, 5.3](https://www.w3.org/TR/did-core/#verification-relationships)
 */
export function keyFor({ did, document }: DidDocument, kid: string | null, purpose: KeyPurpose): PublicJwk {
  const methods = methodsFor(did, document, purpose)
  if (kid === null) {
    const [only, ...others] = methods.values()
    if (only === undefined || others.length > 0)
      throw unresolvable('The DID document does not have exactly one key for this.')
    return keyOf(only)
  }
  const method = methods.get(absolute(did, kid))
  if (method === undefined) throw unresolvable('The DID document does not offer this key for this purpose.')
  return keyOf(method)
}

/**
 * Returns the document that a tenant publishes for its DID.
 *
 * @param keys Current and former verification keys, newest first; `kid` becomes the fragment. A key is listed for its
 *   one purpose only, so that an authentication key never verifies a credential. [SEC-72]
 */
export function ownDidDocument(
  did: string,
  keys: readonly { readonly kid: string; readonly publicJwk: PublicJwk; readonly purpose: KeyPurpose }[],
): object {
  const nameOf = (kid: string) => `${parseDid(did).did}#${kid}`
  const namesFor = (required: KeyPurpose) =>
    keys.filter(({ purpose }) => purpose === required).map(({ kid }) => nameOf(kid))
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: keys.map(({ kid, publicJwk }) => ({
      id: nameOf(kid),
      type: 'JsonWebKey2020',
      controller: did,
      publicKeyJwk: canonical(publicJwk),
    })),
    authentication: namesFor('authentication'),
    assertionMethod: namesFor('assertionMethod'),
  }
}

/** The methods of a relationship by absolute id; an entry is a method itself, or the id of one. */
function methodsFor(did: string, document: JsonObject, purpose: KeyPurpose): ReadonlyMap<string, JsonObject> {
  const methodsById = new Map<string, JsonObject>()
  for (const method of listOf(memberOf(document, 'verificationMethod'))) {
    const id = isJsonObject(method) ? memberOf(method, 'id') : undefined
    if (typeof id === 'string' && isJsonObject(method)) methodsById.set(absolute(did, id), method)
  }
  const found = new Map<string, JsonObject>()
  for (const entry of listOf(memberOf(document, purpose))) {
    const id = isJsonObject(entry) ? memberOf(entry, 'id') : entry
    if (typeof id !== 'string') continue
    const name = absolute(did, id)
    const method = isJsonObject(entry) ? entry : methodsById.get(name)
    // a key of another DID would be used without the consent of its controller
    if (method !== undefined && name.startsWith(`${did}#`)) found.set(name, method)
  }
  return found
}

function keyOf(method: JsonObject): PublicJwk {
  const jwk = memberOf(method, 'publicKeyJwk')
  const multibase = memberOf(method, 'publicKeyMultibase')
  try {
    if (jwk !== undefined) return readPublicJwk(jwk)
    if (typeof multibase === 'string') return fromMultikey(multibase)
  } catch (cause) {
    throw new Fault('did.unresolvable', { detail: 'The key in the DID document is not usable.', cause })
  }
  throw unresolvable('The key in the DID document is not usable.')
}

function listOf(value: Json | undefined): readonly Json[] {
  if (!Array.isArray(value)) return []
  if (value.length > METHODS_MAX) throw unresolvable('The DID document has too many keys.')
  return value
}

function absolute(did: string, id: string): string {
  return id.startsWith('#') ? did + id : id
}

const unresolvable = faultOf('did.unresolvable')
