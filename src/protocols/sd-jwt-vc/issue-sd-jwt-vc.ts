import { sha256Base64url } from '../../crypto/digest.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { canonical, type PublicJwk } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { randomToken } from '../../crypto/random.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import { toNumericDate } from '../numeric-date.ts'
import { encodeDisclosure } from './disclosure.ts'
import { isReservedName } from './reserved-names.ts'

/**
 * How one attribute is disclosed: selectively, unless `alwaysDisclosed`. With `properties` or `items` its members or
 * elements are selectively disclosable as well, but for elements of a plain type (see {@link isClear}).
 * `alwaysDisclosed` applies to everything in the attribute, except members with `alwaysDisclosed: false`.
 */
type DisclosureRule = {
  /** JSON type, as templates name it. */
  readonly type?: string | undefined
  readonly alwaysDisclosed?: boolean | undefined
  readonly properties?: DisclosurePlan | undefined
  readonly items?: DisclosureRule | undefined
}

/**
 * Rules by attribute name. The attributes of a credential template are such rules. An attribute without a rule is
 * disclosed as a whole.
 */
export type DisclosurePlan = { readonly [name: string]: DisclosureRule }

/**
 * Returns whether what a rule describes is always disclosed with what it is in. By default elements of a plain type
 * are: most wallets disclose an array without its elements, so the verifier would get an empty one.
 *
 * @param around Whether what is around it is always disclosed.
 * @param isElement Whether it is an element of an array.
 */
export function isClear(
  { type, alwaysDisclosed }: Pick<DisclosureRule, 'type' | 'alwaysDisclosed'>,
  around: boolean,
  isElement: boolean,
): boolean {
  const isPlain = type !== undefined && type !== 'object' && type !== 'array'
  return alwaysDisclosed ?? (around || (isElement && isPlain))
}

/** Content of a credential. */
export type CredentialDraft = {
  readonly claims: JsonObject
  readonly disclosure: DisclosurePlan
  readonly vct: string
  readonly iss?: string | undefined
  readonly iat: Date
  readonly nbf?: Date | undefined
  readonly exp?: Date | undefined
  /** The holder's key; absent without key binding. */
  readonly cnfJwk?: PublicJwk | undefined
  readonly status?: { readonly status_list: { readonly idx: number; readonly uri: string } } | undefined
  /** `kid` and/or `x5c` (standard base64 DER, leaf first, without the anchor). `typ` and `alg` are added. */
  readonly header: { readonly kid?: string | undefined; readonly x5c?: readonly string[] | undefined }
}

/** [SD-10] 128 random bits for each disclosure. */
const SALT_BYTES = 16
/** Below the limit of recipients, since disclosures add levels. */
const CLAIMS_DEPTH_MAX = 24
/**
 * `clear`: by default, claims on this level are not selectively disclosable. `depth`: 0 for the attributes themselves.
 */
type Level = { readonly clear: boolean; readonly depth: number }

/**
 * Issues an SD-JWT VC: one signature, one fresh salt for each disclosure, no I/O. Returns the compact form, ending with
 * a tilde.
 *
 * NOT checked: whether the claims match the template.
 *
 * @throws Fault `sd_jwt.unissuable` if a claim has a reserved name.
 * @see [RFC 9901, 4](https://www.rfc-editor.org/rfc/rfc9901#section-4) and [SD-JWT VC, 2](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export async function issueSdJwtVc(draft: CredentialDraft, key: SigningKey): Promise<string> {
  const disclosures: string[] = []
  const claims = concealObject(disclosures, draft.claims, { properties: draft.disclosure }, { clear: false, depth: 0 })
  const payload = { _sd_alg: 'sha-256', ...registeredClaims(draft), ...claims } // [SD-12] written although it is the default
  const { kid, x5c } = draft.header
  // [VC-1] the older `vc+sd-jwt` is read, never written
  const jwt = await signCompact({ typ: 'dc+sd-jwt', ...(kid && { kid }), ...(x5c && { x5c }) }, payload, key)
  return `${[jwt, ...disclosures].join('~')}~`
}

function registeredClaims({ iss, iat, nbf, exp, vct, cnfJwk, status }: CredentialDraft): object {
  // mandatory members first: each member after a spread costs V8 a call
  return {
    vct,
    iat: toNumericDate(iat),
    ...(iss !== undefined && { iss }),
    ...(nbf && { nbf: toNumericDate(nbf) }),
    ...(exp && { exp: toNumericDate(exp) }),
    ...(cnfJwk && { cnf: { jwk: canonical(cnfJwk) } }),
    ...(status && { status }),
  }
}

function concealObject(
  disclosures: string[],
  object: JsonObject,
  rule: DisclosureRule,
  { clear, depth }: Level,
): JsonObject {
  if (depth > CLAIMS_DEPTH_MAX) throw new Fault('sd_jwt.unissuable', { detail: 'The claims are nested too deeply.' })
  const clearMembers: Record<string, Json> = {}
  const digests: string[] = []
  for (const [name, value] of Object.entries(object)) {
    if (isReservedName(name, depth > 0)) throw reserved(name) // [SD-13]
    const member = ruleOf(rule.properties, name)
    const memberClear = isClear(member ?? {}, clear, false)
    const inside = conceal(disclosures, value, member, { clear: memberClear, depth: depth + 1 })
    if (memberClear) clearMembers[name] = inside
    else digests.push(disclose(disclosures, name, inside))
  }
  // [SD-12] sorted, so that the order has no meaning; [SD-14] no empty list
  return digests.length === 0 ? clearMembers : { ...clearMembers, _sd: digests.sort() }
}

function concealArray(
  disclosures: string[],
  array: readonly Json[],
  items: DisclosureRule | undefined,
  { clear, depth }: Level,
): Json {
  if (depth > CLAIMS_DEPTH_MAX) throw new Fault('sd_jwt.unissuable', { detail: 'The claims are nested too deeply.' })
  const itemClear = items === undefined || isClear(items, clear, true)
  return array.map((item) => {
    const inside = conceal(disclosures, item, items, { clear: itemClear, depth: depth + 1 })
    return itemClear ? inside : { '...': disclose(disclosures, null, inside) }
  })
}

function conceal(disclosures: string[], value: Json, rule: DisclosureRule | undefined, { clear, depth }: Level): Json {
  if (typeof value !== 'object' || value === null) return value
  if (!isJsonObject(value)) return concealArray(disclosures, value, rule?.items, { clear, depth })
  // without rules for its members, an object is disclosed as a whole
  return concealObject(disclosures, value, rule ?? {}, { clear: clear || rule?.properties === undefined, depth })
}

function disclose(disclosures: string[], name: string | null, value: Json): string {
  const encoded = encodeDisclosure(randomToken(SALT_BYTES), name, value)
  disclosures.push(encoded)
  return sha256Base64url(encoded) // [SD-16] as strong as ES256
}

function ruleOf(plan: DisclosurePlan | undefined, name: string): DisclosureRule | undefined {
  return plan !== undefined && Object.hasOwn(plan, name) ? plan[name] : undefined
}

function reserved(name: string): Fault {
  return new Fault('sd_jwt.unissuable', { detail: `A claim may not be named ${JSON.stringify(name)}.` })
}
