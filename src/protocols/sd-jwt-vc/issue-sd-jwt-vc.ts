import { sha256Base64url } from '../../crypto/digest.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { canonical, type PublicJwk } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { randomToken } from '../../crypto/random.ts'
import { onceThere, type SigningKey, type SoftwareKey, type Soon } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import { encodeDisclosure } from './disclosure.ts'
import { isReservedName } from './reserved-names.ts'

/**
 * How one attribute may be disclosed. By itself unless `alwaysDisclosed`; with `properties` or `items` its members or elements are
 * disclosable one by one as well. What is always disclosed is so with all that is in it, but for members that say
 * `alwaysDisclosed: false`.
 */
type DisclosureRule = {
  readonly alwaysDisclosed?: boolean | undefined
  readonly properties?: DisclosurePlan | undefined
  readonly items?: DisclosureRule | undefined
}

/** Rules by attribute name. The attributes of a credential template fit as they are. What has no rule is disclosed as a whole. */
export type DisclosurePlan = { readonly [name: string]: DisclosureRule }

/** What a credential is to say. */
export type CredentialDraft = {
  readonly claims: JsonObject
  readonly disclosure: DisclosurePlan
  readonly vct: string
  readonly iss?: string | undefined
  readonly sub?: string | undefined
  readonly iat: Date
  readonly nbf?: Date | undefined
  readonly exp?: Date | undefined
  /** The holder's key; absent for a credential that whoever has it may use. */
  readonly cnfJwk?: PublicJwk | undefined
  readonly status?: { readonly status_list: { readonly idx: number; readonly uri: string } } | undefined
  readonly vctIntegrity?: string | undefined
  /** `kid` and/or `x5c` (standard base64 DER, leaf first, without the anchor). `typ` and `alg` are written by us. */
  readonly header: { readonly kid?: string | undefined; readonly x5c?: readonly string[] | undefined }
}

/** [SD-10] 128 random bits for each disclosure. */
const SALT_BYTES = 16
/** Below what a recipient accepts, since the disclosures add levels of their own. */
const CLAIMS_DEPTH_MAX = 24
/** `clear`: what stands here is not disclosable unless its rule says so. `depth`: 0 for the attributes themselves. */
type Level = { readonly clear: boolean; readonly depth: number }
type Tray = { readonly disclosures: string[] }

/**
 * Issues an SD-JWT VC: one signature, one fresh salt for each disclosure, no I/O. Answers the compact form, ending with a tilde.
 *
 * Whether the claims fit the template is NOT checked here.
 *
 * @throws Fault `sd_jwt.unissuable` if a claim has a reserved name.
 * @see [RFC 9901, 4](https://www.rfc-editor.org/rfc/rfc9901#section-4) and [SD-JWT VC, 2](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export function issueSdJwtVc(draft: CredentialDraft, key: SoftwareKey): string
export function issueSdJwtVc(draft: CredentialDraft, key: SigningKey): Soon<string>
export function issueSdJwtVc(draft: CredentialDraft, key: SigningKey): Soon<string> {
  const tray: Tray = { disclosures: [] }
  const claims = concealObject(tray, draft.claims, { properties: draft.disclosure }, { clear: false, depth: 0 })
  const payload = { _sd_alg: 'sha-256', ...registeredClaims(draft), ...claims } // [SD-12] written although it is the default
  const { kid, x5c } = draft.header
  // [VC-1] the older `vc+sd-jwt` is read, never written
  const signed = signCompact({ typ: 'dc+sd-jwt', ...(kid && { kid }), ...(x5c && { x5c }) }, payload, key)
  return onceThere(signed, (jwt) => `${[jwt, ...tray.disclosures].join('~')}~`)
}

function registeredClaims({ iss, sub, iat, nbf, exp, vct, vctIntegrity, cnfJwk, status }: CredentialDraft): object {
  // what is always there first: a member behind a spread costs V8 a call each
  return {
    vct,
    iat: toSeconds(iat),
    ...(iss !== undefined && { iss }),
    ...(sub !== undefined && { sub }),
    ...(nbf && { nbf: toSeconds(nbf) }),
    ...(exp && { exp: toSeconds(exp) }),
    ...(vctIntegrity !== undefined && { 'vct#integrity': vctIntegrity }),
    ...(cnfJwk && { cnf: { jwk: canonical(cnfJwk) } }),
    ...(status && { status }),
  }
}

function concealObject(tray: Tray, object: JsonObject, rule: DisclosureRule, { clear, depth }: Level): JsonObject {
  if (depth > CLAIMS_DEPTH_MAX) throw new Fault('sd_jwt.unissuable', { detail: 'The claims nest too deep.' })
  const open: Record<string, Json> = {}
  const digests: string[] = []
  for (const [name, value] of Object.entries(object)) {
    if (isReservedName(name, depth > 0)) throw reserved(name) // [SD-13]
    const member = ruleOf(rule.properties, name)
    const memberClear = member?.alwaysDisclosed ?? clear
    const inside = conceal(tray, value, member, { clear: memberClear, depth: depth + 1 })
    if (memberClear) open[name] = inside
    else digests.push(disclose(tray, name, inside))
  }
  // [SD-12] sorted, so that the order tells nothing; [SD-14] no empty list
  return digests.length === 0 ? open : { ...open, _sd: digests.sort() }
}

function concealArray(
  tray: Tray,
  array: readonly Json[],
  items: DisclosureRule | undefined,
  { clear, depth }: Level,
): Json {
  if (depth > CLAIMS_DEPTH_MAX) throw new Fault('sd_jwt.unissuable', { detail: 'The claims nest too deep.' })
  const itemClear = items === undefined || (items.alwaysDisclosed ?? clear)
  return array.map((item) => {
    const inside = conceal(tray, item, items, { clear: itemClear, depth: depth + 1 })
    return itemClear ? inside : { '...': disclose(tray, null, inside) }
  })
}

function conceal(tray: Tray, value: Json, rule: DisclosureRule | undefined, { clear, depth }: Level): Json {
  if (typeof value !== 'object' || value === null) return value
  if (!isJsonObject(value)) return concealArray(tray, value, rule?.items, { clear, depth })
  // without rules for the members, an object is disclosed as one
  return concealObject(tray, value, rule ?? {}, { clear: clear || rule?.properties === undefined, depth })
}

function disclose(tray: Tray, name: string | null, value: Json): string {
  const encoded = encodeDisclosure(randomToken(SALT_BYTES), name, value)
  tray.disclosures.push(encoded)
  return sha256Base64url(encoded) // [SD-16] as strong as ES256
}

function ruleOf(plan: DisclosurePlan | undefined, name: string): DisclosureRule | undefined {
  return plan !== undefined && Object.hasOwn(plan, name) ? plan[name] : undefined
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

function reserved(name: string): Fault {
  return new Fault('sd_jwt.unissuable', { detail: `A claim may not be named ${JSON.stringify(name)}.` })
}
