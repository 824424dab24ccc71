import type { Language } from '../../contract/languages.ts'
import { type JsonObject, parseJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Page } from '../../pages/document.ts'
import { accentStyle } from '../../pages/look/accent.ts'
import { logoImage, organisationNote } from '../../pages/look/organisation.ts'
import { pageTexts } from '../../pages/messages/page-texts.ts'
import type { PageContext } from '../../pages/page-endpoint.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { withTimeLimit } from '../../time-limit.ts'

const MS_MAX = 8000
const SLUG = /^[\w-]{1,64}$/

/** How an organisation appears to people who are not signed in, as the API says it. */
export type OrganisationFace = {
  readonly slug: string
  readonly name: string
  readonly accentColor: string | null
  /** The default first. */
  readonly languages: readonly Language[]
  readonly privacyUri: string | null
  readonly supportAddress: string | null
  readonly logoPath: string | null
  /** Who was offered a credential and has no wallet makes one on the page of the offer. */
  readonly makesWallets: boolean
}

type Asking = Pick<PageContext, 'platform' | 'ip'>

/**
 * Returns how an organisation appears; null if there is none of that name.
 *
 * @throws Fault `database.unavailable`, `request.rate_limited`
 */
export async function readFace(asking: Asking, slug: string): Promise<OrganisationFace | null> {
  // The shape that the endpoint promises.
  return SLUG.test(slug)
    ? ((await readPublic(asking, `/organisations/${slug}/about`)) as OrganisationFace | null)
    : null
}

/** Returns what a public address of this server answers; null where it is refused. */
export async function readPublic(asking: Asking, path: string, language?: Language): Promise<JsonObject | null> {
  const { status, body } = await askPublic(asking, path, language === undefined ? {} : { language })
  return status === 200 ? parseJsonObject(body) : null
}

/**
 * Returns the answer of a public address of this server.
 *
 * @throws Fault `database.unavailable`, `request.rate_limited`: it cannot answer now
 */
export async function askPublic(
  { platform, ip }: Asking,
  path: string,
  { method = 'GET', language = 'en' }: { readonly method?: 'GET' | 'POST'; readonly language?: Language } = {},
) {
  const { host } = new URL(platform.urls.publicUrl)
  const headers = { host, accept: 'application/json', 'accept-language': language }
  const work = platform.dispatch({ method, path, headers, ip })
  const answer = await withTimeLimit(work, MS_MAX, () => new Fault('upstream.timeout'))
  const { status } = answer
  if (status >= 500 || status === 429) throw new Fault(status === 429 ? 'request.rate_limited' : 'database.unavailable')
  return answer
}

/** Returns the name of an organisation as it can be shown. */
export function faceName({ name, slug }: Pick<OrganisationFace, 'name' | 'slug'>): string {
  return foreignText(name, 100) ?? slug
}

/** Returns the look of a page of an organisation for people who are not signed in. */
export function faceLook(face: OrganisationFace, language: Language): Partial<Page> {
  const style = accentStyle(face.accentColor)
  return {
    organisation: faceName(face),
    language,
    languages: face.languages,
    ...(style !== '' && { style }),
    logo: face.logoPath === null ? null : logoImage(face.logoPath),
    note: organisationNote(face, pageTexts[language]),
  }
}
