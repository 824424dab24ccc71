import { organisation } from '../../contract/directory/organisation.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { changeOrganisation, changeViolations, getOrganisation } from './change-organisation.ts'
import type { OrganisationRecord } from './organisation.ts'
import { showOrganisation } from './show-organisation.ts'

function shown(record: OrganisationRecord, { config }: Platform) {
  return answer(showOrganisation(record, config), { headers: { etag: tagOf(record) } })
}

function tagOf({ id, catalogVersion }: OrganisationRecord): string {
  return entityTagOf(`${id} ${catalogVersion}`)
}

const get = serve(organisation.get, async ({ platform, caller }) =>
  shown(await getOrganisation(platform, caller), platform),
)

const change = serve(
  organisation.change,
  async ({ platform, caller, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected = ifMatch === undefined ? undefined : (now: OrganisationRecord) => isSame(ifMatch, tagOf(now))
    return shown(await changeOrganisation(platform, caller, body, isExpected), platform)
  },
  { rules: changeViolations },
)

/** The organisation, in our API. */
export const organisationRoutes: readonly Route[] = [get, change]
