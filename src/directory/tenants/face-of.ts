import type { TenantId } from '../../caller.ts'
import type { Language } from '../../pages/language.ts'
import type { Platform } from '../../platform.ts'
import { findTenantOf } from './find-tenant.ts'
import type { Tenant } from './tenant.ts'

/** Returns how a tenant appears on pages. */
export function faceOf(tenant: Pick<Tenant, 'settings'> | null) {
  const { accentColor, timeZone, privacyUri, supportAddress } = tenant?.settings ?? {}
  return {
    accentColor: textOf(accentColor),
    timeZone: textOf(timeZone) ?? 'UTC',
    privacyUri: textOf(privacyUri),
    supportAddress: textOf(supportAddress),
  }
}

function textOf(setting: unknown): string | null {
  return typeof setting === 'string' ? setting : null
}

/** Returns the language in which a tenant addresses people who stated none; up to 5 s old. */
export async function firstLanguage(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  tenantId: TenantId,
): Promise<Language> {
  const setting = (await findTenantOf(needs, tenantId))?.settings.languages
  const first: unknown = Array.isArray(setting) ? setting[0] : null
  return first === 'fr' ? first : 'en'
}
