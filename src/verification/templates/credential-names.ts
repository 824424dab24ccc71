import type { Tenant } from '../../directory/tenants/tenant.ts'
import { ownTypeNames } from '../../issuance/types/own-type-names.ts'
import { shownText } from '../../pages/foreign-text.ts'
import { typeName } from '../../pages/type-name.ts'
import type { Platform } from '../../platform.ts'

const CHARS_MAX = 100

/**
 * Returns what people read of the credentials that are requested: the name that the template gives, else that of the
 * organisation's own credential template, else what the type tells. Each at most 100 characters and never empty.
 */
export async function credentialNames(
  needs: Pick<Platform, 'store' | 'urls'>,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  credentials: readonly { readonly name?: string | undefined; readonly type: string }[],
): Promise<readonly string[]> {
  const unnamed = credentials.flatMap(({ name, type }) => (isNamed(name) ? [] : [type]))
  const own = unnamed.length === 0 ? null : await ownTypeNames(needs, tenant, unnamed)
  return credentials.map(({ name, type }) => {
    const given = isNamed(name) ? name : own?.get(type)
    return given === undefined ? typeName(type) : shownText(given, CHARS_MAX)
  })
}

function isNamed(name: string | undefined): name is string {
  return name !== undefined && name.trim() !== ''
}
