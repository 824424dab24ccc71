import type { Config } from '../../config.ts'
import type { OrganisationReply } from '../../contract/directory/organisation.ts'
import type { SettingName } from '../../contract/directory/settings.ts'
import { effectiveSettings, type OrganisationRecord } from './organisation.ts'

/** Returns an organisation as our API shows it. */
export function showOrganisation(record: OrganisationRecord, config: Pick<Config, 'isDevelopment'>): OrganisationReply {
  const { id, slug, name, fileMembers, updatedAt } = record
  // Settings are written through their schema only.
  const settings = effectiveSettings(record, config) as Pick<OrganisationReply, SettingName>
  return { id, slug, name, ...settings, fixedMembers: [...fileMembers], updatedAt: updatedAt.toISOString() }
}
