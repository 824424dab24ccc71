import type { Config } from '../../config.ts'
import { appearance, type SettingName, settingMembers, type TenantSettings } from '../../contract/directory/settings.ts'
import { allLanguages } from '../../contract/languages.ts'
import type { Tenant } from './tenant.ts'

/** What a setting is where the tenant has none; null: nothing, or a setting of the server. */
const defaults = {
  verifierPolicy: 'any',
  sharingConfirmation: 'none',
  sharedLinks: 'on',
  walletFormats: ['vc+sd-jwt'],
  redirectUris: [],
  issuerIdentifier: 'did',
  keyAttestations: 'by-template',
  credentialEncryption: 'optional',
  pushedRequests: 'optional',
  unregisteredWallets: 'accepted',
  walletDpop: 'optional',
  haip: false,
  clientAuthentication: 'optional',
  attestationChallenge: 'optional',
  registeredVerifiers: [],
  transactionDataTypes: [],
  documentSignerUsages: 'all',
  newWallets: 'offered',
  heldAttributes: 'erased',
  typeListing: 'unlisted',
  languages: [...allLanguages],
  timeZone: 'UTC',
} as const satisfies TenantSettings

/** A tenant with the names of the members that the bootstrap file names. */
export type OrganisationRecord = Tenant & { readonly fileMembers: readonly string[]; readonly updatedAt: Date }

/** A change of a tenant: a member that is null gets its default back. */
export type OrganisationChange = { readonly name?: string | undefined } & {
  readonly [K in SettingName]?: TenantSettings[K] | null | undefined
}

// Object.keys loses the type of the keys.
const settingNames = Object.keys(settingMembers) as SettingName[]

/** Returns every setting of a tenant: its own, or the default. */
export function effectiveSettings(
  { settings }: Pick<Tenant, 'settings'>,
  { isDevelopment }: Pick<Config, 'isDevelopment'>,
): Readonly<Record<SettingName, unknown>> {
  const known: Readonly<Record<string, unknown>> = {
    ...defaults,
    issuerPolicy: isDevelopment ? 'any' : 'trusted',
    ...settings,
  }
  // Each name is a member.
  return Object.fromEntries(settingNames.map((one) => [one, known[one] ?? null])) as Record<SettingName, unknown>
}

/** Returns the settings after a change. */
export function changedSettings(settings: Tenant['settings'], change: OrganisationChange): Tenant['settings'] {
  const { name: _, ...members } = change
  const merged = { ...settings, ...Object.fromEntries(Object.entries(members).filter(([, one]) => one !== undefined)) }
  return Object.fromEntries(Object.entries(merged).filter(([, one]) => one !== null))
}

/**
 * Whether a member says how the organisation appears, or is a default of what it creates; the others are about trust.
 */
export function isAppearance(member: string): boolean {
  return member === 'name' || Object.hasOwn(appearance, member)
}
