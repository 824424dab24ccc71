import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { Platform } from '../../platform.ts'
import { vctOf } from '../templates/template.ts'
import { listOwnTypes } from './published-type-store.ts'

/**
 * Returns the names of those types that are of templates of the organisation itself, archived ones too. One statement.
 */
export async function ownTypeNames(
  { store, urls }: Pick<Platform, 'store' | 'urls'>,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  types: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const prefix = vctOf(urls.issuer(tenant.slug), '')
  const codes = types.flatMap((type) => (type.startsWith(prefix) ? [type.slice(prefix.length)] : []))
  const others = types.filter((type) => !/^https?:/.test(type))
  if (codes.length + others.length === 0) return new Map()
  const own = await store.single(tenant.id, (tx) => listOwnTypes(tx, codes, others))
  return new Map(own.map(({ code, docType, name }) => [docType ?? prefix + code, name]))
}
