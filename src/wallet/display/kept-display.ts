import type { CredentialDisplay } from '../../contract/wallet/card-display.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { preferredType } from '../../http/routes/accept.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { TypeReference } from './type-metadata.ts'

/** A name in one language; null: the issuer does not state the language. */
type Named = { readonly locale: string | null; readonly name: string }
type KeptCredential = Named & {
  readonly description: string | null
  readonly back: string | null
  readonly ink: string | null
  readonly logoText: string | null
}

/** What an issuer stated about the look of a credential, as it is kept: bounded, texts cleaned, colours checked. */
export type KeptDisplay = {
  readonly issuer: readonly Named[]
  readonly credential: readonly KeptCredential[]
  readonly labels: readonly { readonly path: string; readonly names: readonly Named[] }[]
  /** Where the images were at the receipt. */
  readonly logo: string | null
  readonly background: string | null
  /**
   * The type, where its metadata is fetched for a picture; absent for ours, which have none, and for texts that are no
   * address.
   */
  readonly type?: TypeReference
}

const LOCALES_MAX = 8
const LABELS_MAX = 100
const DEPTH_MAX = 8
const NAME_CHARS = 100
const DESCRIPTION_CHARS = 300
const URI_CHARS = 90_000

/**
 * Reads what an issuer states about itself and a credential. Nothing of it is verified; what is malformed is left out.
 *
 * @param stated `issuer` and `credential`: the `display` lists of the metadata. `claims`: the claims descriptions.
 * @see [OpenID4VCI 1.0, 12.2.4](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-issuer-metadata-p)
 */
export function readDisplay(stated: {
  readonly issuer: readonly JsonObject[]
  readonly credential: readonly JsonObject[]
  readonly claims: readonly JsonObject[]
}): KeptDisplay {
  const images = [...stated.credential, ...stated.issuer]
  return {
    issuer: namesIn(stated.issuer),
    credential: stated.credential.flatMap(credentialOf).slice(0, LOCALES_MAX),
    labels: stated.claims.slice(0, LABELS_MAX).flatMap(labelOf),
    logo: firstUri(images.map(({ logo }) => logo)),
    background: firstUri(stated.credential.map(({ background_image: image }) => image)),
  }
}

/** Returns a display in one language. @param accepted `Accept-Language` */
export function displayIn(
  { issuer, credential, labels }: KeptDisplay,
  accepted: string | undefined,
): Omit<CredentialDisplay, 'issuer'> & { readonly issuerName: string | null } {
  const own = inLanguage(credential, accepted)
  return {
    issuerName: inLanguage(issuer, accepted)?.name ?? null,
    name: own?.name ?? null,
    ...(own?.locale != null && { locale: own.locale }),
    ...(own?.description != null && { description: own.description }),
    ...(own?.back != null && { backgroundColor: own.back }),
    ...(own?.ink != null && { textColor: own.ink }),
    labels: labels.flatMap(({ path, names }) => {
      const name = inLanguage(names, accepted)?.name
      return name === undefined ? [] : [{ path, name }]
    }),
  }
}

/** Returns the entry in the language that is preferred, else the first. */
function inLanguage<T extends Named>(entries: readonly T[], accepted: string | undefined): T | undefined {
  const primary = ({ locale }: Named) => locale?.split(/[-_]/)[0]?.toLowerCase() ?? ''
  const ranges = accepted?.slice(0, 1000).replaceAll(/\b([a-z]{2,3})-[a-z0-9-]+/gi, '$1')
  const best = preferredType(ranges, entries.map(primary).filter(Boolean))
  return entries.find((one) => primary(one) === best) ?? entries.find(({ locale }) => locale === null) ?? entries[0]
}

function namesIn(list: Json | undefined | readonly JsonObject[]): Named[] {
  if (!Array.isArray(list)) return []
  return list.slice(0, LOCALES_MAX).flatMap((one: Json) => (isJsonObject(one) ? (namedIn(one) ?? []) : []))
}

function namedIn(one: JsonObject): Named | null {
  const name = foreignText(one.name, NAME_CHARS)
  return name === null ? null : { name, locale: localeOf(one.locale) }
}

function localeOf(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8}){0,4}$/.test(value) ? value : null
}

function credentialOf(one: JsonObject): KeptCredential[] {
  const named = namedIn(one)
  if (named === null) return []
  return [
    {
      ...named,
      description: foreignText(one.description, DESCRIPTION_CHARS),
      back: colourOf(one.background_color),
      ink: colourOf(one.text_color),
      logoText: isJsonObject(one.logo) ? foreignText(one.logo.alt_text, NAME_CHARS) : null,
    },
  ]
}

/** Returns `#rrggbb`; other notations of CSS are left out. */
function colourOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(value)
  if (short !== null)
    return `#${short
      .slice(1)
      .map((one) => one + one)
      .join('')}`.toLowerCase()
  return /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : null
}

function labelOf({ path, display }: JsonObject): KeptDisplay['labels'] {
  const names = namesIn(display)
  const isPath =
    Array.isArray(path) &&
    path.length > 0 &&
    path.length <= DEPTH_MAX &&
    path.every(
      (one) => one === null || typeof one === 'number' || (typeof one === 'string' && one.length <= NAME_CHARS),
    )
  if (!isPath || names.length === 0) return []
  const steps = path.map((one) => (typeof one === 'string' ? one : null))
  return [{ path: JSON.stringify(steps), names }]
}

function firstUri(images: readonly (Json | undefined)[]): string | null {
  // earlier drafts of OpenID4VCI called it `url`
  const uris = images.map((one) => (isJsonObject(one) ? (one.uri ?? one.url) : undefined))
  const found = uris.find((uri) => typeof uri === 'string' && uri.length <= URI_CHARS && /^(https?|data):/.test(uri))
  return typeof found === 'string' ? found : null
}
