import type { Static } from 'typebox'
import type { AskedCredential as AskedInWords } from '../../contract/verification/requested-credentials.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { preferredLanguage } from '../../http/routes/accept.ts'
import { type LocalName, type OwnType, ownTypes } from '../../issuance/types/own-types.ts'
import { claimName } from '../../pages/claims/claims.ts'
import { shownText } from '../../pages/foreign-text.ts'
import { typeName } from '../../pages/type-name.ts'
import type { Platform } from '../../platform.ts'
import type { TemplateCredential } from './presentation-template.ts'
import { requestedClaimsOf } from './template-query.ts'

const CHARS_MAX = 100

/** What people read of a credential that is requested, in all languages that are known. */
export type AskedCredential = {
  /** At least one. */
  readonly names: readonly LocalName[]
  /** Of the requested attributes, as JSON; null selects every element of an array. */
  readonly paths: readonly string[]
  /** Names at or above these paths. */
  readonly labels: readonly { readonly path: string; readonly names: readonly LocalName[] }[]
}

/**
 * Returns what people read of the credentials that are requested: the name that the template gives, else that of the
 * organisation's own credential template, else what the type tells; and of the attributes the names in that template.
 */
export async function askedCredentials(
  needs: Pick<Platform, 'store' | 'urls'>,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  credentials: readonly TemplateCredential[],
): Promise<readonly AskedCredential[]> {
  const types = credentials.map(({ type }) => type)
  const own = await ownTypes(needs, tenant, types)
  return credentials.map((credential) => askedOf(credential, own.get(credential.type)))
}

function askedOf(credential: TemplateCredential, own: OwnType | undefined): AskedCredential {
  const { name, type } = credential
  const steps = requestedClaimsOf(credential).map(({ path }) =>
    path.map((one) => (typeof one === 'number' ? null : one)),
  )
  const paths = steps.map((one) => JSON.stringify(one))
  const given = name !== undefined && name.trim() !== '' ? [{ name, locale: null }] : own?.names
  const labels = (own?.labels ?? []).map(({ path, names }) => ({ path: JSON.stringify(path), names }))
  return {
    names: given ?? [{ name: typeName(type), locale: null }],
    paths,
    labels: labels.filter(({ path }) => paths.some((one) => one.startsWith(path.slice(0, -1)))),
  }
}

/**
 * Returns what is requested in words: each text at most 100 characters and never empty, each name of an attribute once.
 *
 * @param accepted The Accept-Language header of who reads it.
 */
export function inWords(
  asked: readonly AskedCredential[],
  accepted: string | undefined,
): Static<typeof AskedInWords>[] {
  return asked.map(({ names, paths, labels }) => {
    const own = labels.map((one) => ({ path: one.path, name: nameIn(one.names, accepted) }))
    const attributes = paths.map((path) => shownText(claimName(own, path), CHARS_MAX))
    return { name: shownText(nameIn(names, accepted), CHARS_MAX), attributes: [...new Set(attributes)] }
  })
}

/** Returns the name in the language that is preferred, else the first. */
function nameIn(names: readonly LocalName[], accepted: string | undefined): string {
  const primary = ({ locale }: LocalName) => locale?.split('-', 1)[0]?.toLowerCase() ?? ''
  const language = preferredLanguage(accepted, names.map(primary).filter(Boolean))
  return (names.find((one) => primary(one) === language) ?? names[0])?.name ?? ''
}
