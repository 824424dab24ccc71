import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TemplateAttribute } from '../templates/attributes/attributes.ts'
import { cardFirst, describeClaims } from '../templates/claim-descriptions.ts'
import { renderingOf, type SdJwtDefinition, vctOf } from '../templates/template.ts'
import { findByCode } from '../templates/template-store.ts'

const CODE = /^[A-Za-z0-9_-]{1,64}$/
/** The drafts require a language; this is the default. */
const LOCALE = 'en'

/**
 * Returns the type metadata of a template's credentials, also of an archived template.
 *
 * @throws Fault `resource.unknown`
 * @see [SD-JWT VC, 5](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export async function publishType(
  { store, urls }: Pick<Platform, 'store' | 'urls'>,
  tenant: Tenant,
  code: string,
): Promise<object> {
  const template = CODE.test(code) ? await store.single(tenant.id, (tx) => findByCode(tx, code)) : null
  // An mdoc has a document type without type metadata.
  if (template === null || template.definition.format === 'mdoc') throw new Fault('resource.unknown')
  return typeMetadata(vctOf(urls.issuer(tenant.slug), code), template.name, template.definition)
}

function typeMetadata(vct: string, name: string, definition: SdJwtDefinition) {
  const { description, display = {}, attributes } = definition
  const locale = display.locale ?? LOCALE
  const about = display.description ?? description
  const simple = renderingOf(display)
  const rendering = Object.keys(simple).length > 0 && { rendering: { simple } }
  return {
    vct,
    name,
    ...(description !== undefined && { description }),
    display: [
      {
        locale,
        name: display.name ?? name,
        ...(about !== undefined && { description: about }),
        ...rendering,
      },
      ...(display.translations ?? []).map((one) => ({ ...one, ...rendering })),
    ],
    claims: [
      // Not among the claims that SD-JWT VC itself describes, so wallets would take it for an unknown one.
      { path: ['iat'], mandatory: true, sd: 'never' },
      ...cardFirst(describeClaims(attributes), display.cardLine).map(({ path, attribute, mandatory, clear }) => ({
        path,
        ...labelsOf(attribute, locale),
        ...(mandatory && { mandatory }),
        sd: clear ? 'never' : 'always',
      })),
    ],
  }
}

function labelsOf({ name, names = {}, description }: TemplateAttribute, locale: string) {
  const own = { locale, label: name, ...(description !== undefined && { description }) }
  const display = [
    ...(name === undefined ? [] : [own]),
    ...Object.entries(names).map(([other, label]) => ({ locale: other, label })),
  ]
  return display.length > 0 && { display }
}
