import { isJsonObject, JSON_DEPTH_MAX, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import type { ValuePath } from './claim-path.ts'
import { type Disclosure, decodeDisclosure, hashOf } from './disclosure.ts'
import { type FindingCode, finding, type SdJwtFinding } from './findings.ts'
import { isAlwaysClear, isStructuralName } from './reserved-names.ts'
import type { SdJwt } from './sd-jwt.ts'

/**
 * One value of the processed payload that came from a disclosure. `parent`: the disclosure whose value contains it, if
 * any.
 */
export type DisclosedObject = {
  readonly path: ValuePath
  readonly disclosure: Disclosure
  readonly parent: DisclosedObject | null
}

/**
 * An array of the processed payload that has disclosable elements: `issued[i]` is the issued position of its element i.
 */
type DisclosedArray = { readonly path: ValuePath; readonly issued: readonly number[] }

/** The processed payload of an SD-JWT. */
export type ProcessedSdJwt = {
  /**
   * All claims in the clear and from disclosures, registered ones included; without `_sd`, `_sd_alg` and placeholders.
   */
  readonly payload: JsonObject
  readonly disclosed: readonly DisclosedObject[]
  readonly arrays: readonly DisclosedArray[]
  /** Empty if no rule of RFC 9901, 7.1 step 3 is violated; otherwise `payload` must not be used. */
  readonly findings: readonly SdJwtFinding[]
}

type ValuePosition = { readonly path: ValuePath; readonly parent: DisclosedObject | null; readonly depth: number }
type Walk = {
  readonly byDigest: ReadonlyMap<string, Disclosure>
  readonly seen: Set<string>
  readonly used: Set<Disclosure>
  readonly disclosed: DisclosedObject[]
  readonly arrays: DisclosedArray[]
  readonly codes: Set<FindingCode>
}

/**
 * Inserts the disclosures of an SD-JWT into its payload and checks every rule for them.
 *
 * Signature, type, validity and key binding are NOT checked here; see `checkSdJwtVc` and `verifyPresentation`.
 *
 * @see [RFC 9901, 7.1](https://www.rfc-editor.org/rfc/rfc9901#section-7.1), step 3
 */
export function processSdJwt({ jwt, disclosures }: Pick<SdJwt, 'jwt' | 'disclosures'>): ProcessedSdJwt {
  const codes = new Set<FindingCode>()
  const hash = hashOf(jwt.payload)
  // RFC 9901 7.1 (2.c): with an unknown or weak hash no digest is trustworthy
  if (hash === null) return { payload: {}, disclosed: [], arrays: [], findings: [finding('sd_alg.unsupported')] }
  const byDigest = new Map<string, Disclosure>()
  for (const encoded of disclosures) {
    const one = decodeDisclosure(encoded, hash)
    // RFC 9901 7.1 (3.b): neither `[salt, name, value]` nor `[salt, value]`
    if (one === null) codes.add('disclosure.malformed')
    else if (byDigest.has(one.digest)) codes.add('disclosure.duplicate')
    else byDigest.set(one.digest, one)
  }
  const walk: Walk = { byDigest, seen: new Set(), used: new Set(), disclosed: [], arrays: [], codes }
  const payload = processObject(walk, jwt.payload, { path: [], parent: null, depth: 1 })
  // RFC 9901 7.1 (5): a disclosure that nothing refers to
  if (walk.used.size < byDigest.size) codes.add('disclosure.unreferenced')
  return { payload, disclosed: walk.disclosed, arrays: walk.arrays, findings: [...codes].map(finding) }
}

function processValue(walk: Walk, value: Json, place: ValuePosition): Json {
  if (isPlain(value)) return value
  // [SEC-41] nested disclosures can be deeper than each of their texts
  if (place.depth > JSON_DEPTH_MAX) {
    walk.codes.add('structure.deep')
    return null
  }
  return isJsonObject(value) ? processObject(walk, value, place) : processArray(walk, value as readonly Json[], place)
}

function processObject(walk: Walk, object: JsonObject, place: ValuePosition): JsonObject {
  const processed: Record<string, Json> = {}
  for (const [name, value] of Object.entries(object)) {
    if (name === '_sd' || (name === '_sd_alg' && place.depth === 1)) continue
    // RFC 9901 4.1.1: `_sd_alg` is a claim of the top level
    if (name === '_sd_alg') walk.codes.add('sd_alg.nested')
    // RFC 9901 4.1 (7): `...` is no member name but in a placeholder
    else if (name === '...') walk.codes.add('digest.malformed')
    else processed[name] = isPlain(value) ? value : processValue(walk, value, below(place, name))
  }
  for (const digest of digestsOf(walk, object)) insertMember(walk, processed, digest, place)
  return processed
}

function digestsOf(walk: Walk, object: JsonObject): readonly string[] {
  const digests = memberOf(object, '_sd')
  if (digests === undefined) return []
  if (Array.isArray(digests) && digests.every((one) => typeof one === 'string')) return digests
  // RFC 9901 4.2.4.1: `_sd` is an array of strings
  walk.codes.add('digest.malformed')
  return []
}

function insertMember(walk: Walk, processed: Record<string, Json>, digest: string, place: ValuePosition): void {
  const disclosure = findDisclosure(walk, digest)
  if (disclosure === null) return
  const { name } = disclosure
  const path = name === null ? place.path : [...place.path, name]
  const error = checkMember(disclosure, processed, path)
  if (error !== null) walk.codes.add(error)
  if (error !== null || name === null) return
  const disclosed = { path, disclosure, parent: place.parent }
  walk.disclosed.push(disclosed)
  processed[name] = processValue(walk, disclosure.value, { path, parent: disclosed, depth: place.depth + 1 })
}

function checkMember({ name }: Disclosure, processed: JsonObject, path: ValuePath): FindingCode | null {
  // RFC 9901 7.1 (3.c.ii.1): a member of an object has three elements
  if (name === null) return 'disclosure.misplaced'
  // RFC 9901 7.1 (3.c.ii.2): not `_sd` nor `...`; nor a name that would change the object itself
  if (isStructuralName(name)) return 'disclosure.name'
  // SD-JWT VC 2.2.2.2: these claims, with all that is in them, are never disclosed selectively
  if (isAlwaysClear(String(path[0]))) return 'disclosure.control'
  // RFC 9901 7.1 (3.c.ii.3): the name is taken, in the clear or by another disclosure
  return Object.hasOwn(processed, name) ? 'disclosure.collision' : null
}

function processArray(walk: Walk, array: readonly Json[], place: ValuePosition): Json {
  const processed: Json[] = []
  const issued: number[] = []
  let disclosable = false
  for (const [position, item] of array.entries()) {
    const placeholder = isJsonObject(item) && Object.hasOwn(item, '...')
    disclosable ||= placeholder
    const before = processed.length
    if (placeholder) insertElement(walk, processed, item, place)
    else processed.push(processValue(walk, item, below(place, before)))
    if (processed.length > before) issued.push(position)
  }
  if (disclosable) walk.arrays.push({ path: place.path, issued })
  return processed
}

function insertElement(walk: Walk, processed: Json[], placeholder: JsonObject, place: ValuePosition): void {
  const digest = placeholder['...']
  // RFC 9901 4.2.4.2: exactly one member, and it is a string
  if (typeof digest !== 'string' || Object.keys(placeholder).length !== 1) {
    walk.codes.add('digest.malformed')
    return
  }
  const disclosure = findDisclosure(walk, digest)
  if (disclosure === null) return
  const path = [...place.path, processed.length]
  // RFC 9901 7.1 (3.c.iii.1): an array element has two elements
  if (disclosure.name !== null) walk.codes.add('disclosure.misplaced')
  else if (isAlwaysClear(String(path[0]))) walk.codes.add('disclosure.control')
  else {
    const disclosed = { path, disclosure, parent: place.parent }
    walk.disclosed.push(disclosed)
    processed.push(processValue(walk, disclosure.value, { path, parent: disclosed, depth: place.depth + 1 }))
  }
}

/**
 * Returns the disclosure of a digest, or null if there is none: a decoy, or a claim that the holder does not disclose.
 */
function findDisclosure(walk: Walk, digest: string): Disclosure | null {
  // RFC 9901 7.1 (4): no digest twice, whether a disclosure belongs to it or not
  if (walk.seen.has(digest)) {
    walk.codes.add('digest.duplicate')
    return null
  }
  walk.seen.add(digest)
  const disclosure = walk.byDigest.get(digest)
  if (disclosure === undefined) return null
  walk.used.add(disclosure)
  return disclosure
}

function isPlain(value: Json): value is null | boolean | number | string {
  return typeof value !== 'object' || value === null
}

function below({ path, parent, depth }: ValuePosition, step: string | number): ValuePosition {
  return { path: [...path, step], parent, depth: depth + 1 }
}
