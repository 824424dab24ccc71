import type { TenantId } from '../../caller.ts'
import { allLanguages, isLanguage, type Language } from '../../contract/languages.ts'
import type { Platform } from '../../platform.ts'
import { findTenantOf } from './find-tenant.ts'
import type { Tenant } from './tenant.ts'

/** Returns how a tenant appears on pages. */
export function faceOf(tenant: Pick<Tenant, 'settings'> | null) {
  const { accentColor, languages, logoUri, timeZone, privacyUri, supportAddress } = tenant?.settings ?? {}
  return {
    accentColor: textOf(accentColor),
    languages: languagesIn(languages),
    logoUri: textOf(logoUri),
    timeZone: textOf(timeZone) ?? 'UTC',
    privacyUri: textOf(privacyUri),
    supportAddress: textOf(supportAddress),
  }
}

/** The languages of a tenant, the default first; without a choice all that pages are in. */
function languagesIn(setting: unknown): Language[] {
  const chosen = Array.isArray(setting) ? setting.filter(isLanguage) : []
  return chosen.length > 0 ? chosen : [...allLanguages]
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
  return typeof first === 'string' && isLanguage(first) ? first : 'en'
}
