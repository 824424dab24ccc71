import { digestBytes } from '../../crypto/digest.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../crypto/json.ts'

/** The document that a credential names. `integrity`: of `vct#integrity`. */
export type TypeReference = { readonly vct: string; readonly integrity: string | null }

/** What is used of type metadata: where templates are, the preferred first, and which placeholder is which claim. */
export type SvgMetadata = {
  readonly templates: readonly TemplateReference[]
  readonly claims: readonly { readonly id: string; readonly path: readonly (string | number | null)[] }[]
}
type TemplateReference = { readonly uri: string; readonly integrity: string | null }

const DISPLAYS_MAX = 8
const TEMPLATES_MAX = 3
const CLAIMS_MAX = 200
const DEPTH_MAX = 8
const URI_CHARS_MAX = 90_000
const ALGORITHMS = ['sha512', 'sha384', 'sha256'] as const

/**
 * Returns whether bytes have the integrity that was stated: one of the hashes of the strongest algorithm of the list.
 * Without a statement they do; a list without an algorithm that is known fails.
 *
 * @see [SD-JWT VC, 7](https://www.ietf.org/archive/id/draft-ietf-oauth-sd-jwt-vc-10.html#section-7) [TM-1], [Subresource Integrity](https://www.w3.org/TR/sri-2/)
 */
export function hasIntegrity(bytes: Buffer, integrity: string | null): boolean {
  if (integrity === null) return true
  const stated = integrity.trim().split(/\s+/)
  const algorithm = ALGORITHMS.find((one) => stated.some((each) => each.startsWith(`${one}-`)))
  if (algorithm === undefined) return false
  const digest = digestBytes(algorithm, bytes).toString('base64')
  return stated.some((one) => one.split('?', 1)[0] === `${algorithm}-${digest}`)
}

/**
 * Reads type metadata; null if it is malformed or is that of another type. What is not needed for pictures is not
 * looked at. [TM-1]
 */
export function readTypeMetadata(bytes: Buffer, { vct }: TypeReference): SvgMetadata | null {
  const document = parsed(bytes)
  if (document === null || document.vct !== vct) return null
  const displays = objectsIn(document.display).slice(0, DISPLAYS_MAX)
  const templates = displays.flatMap(({ rendering }) =>
    isJsonObject(rendering ?? null) ? objectsIn((rendering as JsonObject).svg_templates) : [],
  )
  return {
    templates: templates.toSorted(byFit).flatMap(referenceOf).slice(0, TEMPLATES_MAX),
    claims: objectsIn(document.claims).slice(0, CLAIMS_MAX).flatMap(claimOf),
  }
}

function parsed(bytes: Buffer): JsonObject | null {
  try {
    const value = parseJson(bytes)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

function objectsIn(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}

/** A card lies on its side; its colours are those of its issuer in light and dark. */
function byFit(one: JsonObject, other: JsonObject): number {
  return misfitOf(one) - misfitOf(other)
}

function misfitOf({ properties }: JsonObject): number {
  if (!isJsonObject(properties ?? null)) return 0
  const { orientation, color_scheme: scheme } = properties as JsonObject
  return (orientation === 'portrait' ? 2 : 0) + (scheme === 'dark' ? 1 : 0)
}

function referenceOf({ uri, 'uri#integrity': integrity }: JsonObject): TemplateReference[] {
  const isUri = typeof uri === 'string' && uri.length <= URI_CHARS_MAX && /^(https?|data):/.test(uri)
  return isUri ? [{ uri, integrity: typeof integrity === 'string' ? integrity.slice(0, 1000) : null }] : []
}

function claimOf({ path, svg_id: id }: JsonObject): SvgMetadata['claims'] {
  if (typeof id !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(id) || !Array.isArray(path)) return []
  const isPath =
    path.length > 0 &&
    path.length <= DEPTH_MAX &&
    path.every((one) => one === null || typeof one === 'string' || (typeof one === 'number' && one >= 0))
  return isPath ? [{ id, path: path as readonly (string | number | null)[] }] : []
}
