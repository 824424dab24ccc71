import { routeGroup } from '../../api/route-group.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { changeOrganisation, changeViolations, getOrganisation } from './change-organisation.ts'
import type { OrganisationRecord } from './organisation.ts'
import { OrganisationChangeBody, OrganisationReply, showOrganisation } from './schemas.ts'

const organisation = routeGroup({
  ...{ group: 'onboarding', tag: 'organisation', path: '/organisation', reply: OrganisationReply },
  replyHeaders: ['ETag'],
  scope: { read: 'trust:read', write: 'trust:write' },
})

function shown(record: OrganisationRecord, { config }: Platform) {
  return answer(showOrganisation(record, config), { headers: { etag: tagOf(record) } })
}

function tagOf({ id, catalogVersion }: OrganisationRecord): string {
  return entityTagOf(`${id} ${catalogVersion}`)
}

const get = organisation.get('', {
  summary: 'Returns the organisation of the caller with its settings.',
  handle: async ({ platform, caller }) => shown(await getOrganisation(platform, caller), platform),
})

const change = organisation.patch('', {
  summary:
    'Changes the members of the organisation that the body names; null sets the default. All but the policies need `tenant:admin`. Every server uses the change within five seconds.',
  body: OrganisationChangeBody,
  rules: changeViolations,
  ifMatch: true,
  faults: ['scope.missing', 'state.conflict', 'resource.changed'],
  handle: async ({ platform, caller, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected = ifMatch === undefined ? undefined : (now: OrganisationRecord) => isSame(ifMatch, tagOf(now))
    return shown(await changeOrganisation(platform, caller, body, isExpected), platform)
  },
})

/** The organisation, in our API. */
export const organisationRoutes: readonly Route[] = [get, change]
