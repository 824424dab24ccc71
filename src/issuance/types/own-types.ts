import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { Platform } from '../../platform.ts'
import { describeClaims, describeElements } from '../templates/claim-descriptions.ts'
import { type TemplateDefinition, vctOf } from '../templates/template.ts'
import { listOwnTypes } from './published-type-store.ts'

/** A name in a language. `locale`: null where the template states none. */
export type LocalName = { readonly name: string; readonly locale: string | null }

/** What people read of the credentials of a template, that of its own language first. */
export type OwnType = {
  /** At least one. */
  readonly names: readonly LocalName[]
  /** Of the attributes that have a name, each at least one. `path`: null selects every element of an array. */
  readonly labels: readonly { readonly path: readonly (string | null)[]; readonly names: readonly LocalName[] }[]
}

/**
 * Returns the names of those types that are of templates of the organisation itself, archived ones too, and of their
 * attributes. One statement.
 */
export async function ownTypes(
  { store, urls }: Pick<Platform, 'store' | 'urls'>,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  types: readonly string[],
): Promise<ReadonlyMap<string, OwnType>> {
  const prefix = vctOf(urls.issuer(tenant.slug), '')
  const codes = types.flatMap((type) => (type.startsWith(prefix) ? [type.slice(prefix.length)] : []))
  const others = types.filter((type) => !/^https?:/.test(type))
  if (codes.length + others.length === 0) return new Map()
  const own = await store.single(tenant.id, (tx) => listOwnTypes(tx, codes, others))
  return new Map(
    own.map(({ code, name, definition }) => {
      const type = definition.format === 'mdoc' ? definition.docType : prefix + code
      return [type, ownTypeOf(name, definition)]
    }),
  )
}

function ownTypeOf(name: string, definition: TemplateDefinition): OwnType {
  const { display = {} } = definition
  const locale = display.locale ?? null
  const described = definition.format === 'mdoc' ? describeElements(definition) : describeClaims(definition.attributes)
  const translated = (display.translations ?? []).map((one) => ({ name: one.name, locale: one.locale }))
  return {
    names: [{ name: display.name ?? name, locale }, ...translated],
    labels: described.flatMap(({ path, attribute }) => {
      const own = attribute.name === undefined ? [] : [{ name: attribute.name, locale }]
      const others = Object.entries(attribute.names ?? {}).map(([other, text]) => ({ name: text, locale: other }))
      const names = [...own, ...others]
      return names.length === 0 ? [] : [{ path, names }]
    }),
  }
}
