import { routeGroup } from '../../api/route-group.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import {
  changeVerificationPage,
  createVerificationPage,
  getVerificationPage,
  originViolations,
  removeVerificationPage,
} from './manage-pages.ts'
import { listVerificationPages } from './page-store.ts'
import {
  VerificationPageBody,
  VerificationPageChange,
  VerificationPageListQuery,
  VerificationPageReply,
} from './schemas.ts'
import type { VerificationPage } from './verification-page.ts'

const pages = routeGroup({
  ...{ group: 'creds', tag: 'verification pages', path: '/verification-pages', reply: VerificationPageReply },
  scope: { read: 'verification:read', write: 'verification:write' },
})

const createRoute = pages.post('', {
  summary:
    'Creates a verification page: visitors of the organisation show what a presentation template asks for, on the page itself or embedded in a site.',
  body: VerificationPageBody,
  rules: originViolations,
  status: 201,
  faults: ['reference.unknown', 'state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getVerificationPage(platform, caller, id)
    return shown(platform, await once(operation, find, (id) => createVerificationPage(platform, caller, body, id)))
  },
})

const listRoute = pages.list('', {
  summary: 'Lists the verification pages.',
  query: VerificationPageListQuery,
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listVerificationPages(tx, list, filters)),
  show: (row, { platform }) => show(platform, row),
})

const getRoute = pages.get('/{id}', {
  summary: 'Returns a verification page.',
  replyHeaders: ['ETag'],
  handle: async ({ platform, caller, params }) =>
    shown(platform, await getVerificationPage(platform, caller, params.id)),
})

const changeRoute = pages.patch('/{id}', {
  summary:
    'Changes the members of a verification page that the body names; null clears. Every server uses the change within five seconds. Open requests stay open.',
  body: VerificationPageChange,
  rules: originViolations,
  ifMatch: true,
  replyHeaders: ['ETag'],
  faults: ['reference.unknown', 'state.conflict', 'resource.changed'],
  handle: async ({ platform, caller, params, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected =
      ifMatch === undefined ? undefined : (now: VerificationPage) => isSame(ifMatch, tagOf(platform, now))
    return shown(platform, await changeVerificationPage(platform, caller, params.id, body, isExpected))
  },
})

const removeRoute = pages.delete('/{id}', {
  summary: 'Deletes a verification page. Requests that visitors began, and their results, stay.',
  reply: undefined,
  handle: async ({ platform, caller, params }) => {
    await removeVerificationPage(platform, caller, params.id)
    return answer(undefined)
  },
})

/** Verification pages, in our API. */
export const verificationPageRoutes: readonly Route[] = [createRoute, listRoute, getRoute, changeRoute, removeRoute]

function shown(platform: Platform, page: VerificationPage) {
  return answer(show(platform, page), { headers: { etag: tagOf(platform, page) } })
}

function tagOf(platform: Platform, page: VerificationPage): string {
  return entityTagOf(JSON.stringify(show(platform, page)))
}

function show(
  { urls }: Pick<Platform, 'urls'>,
  { createdAt, updatedAt, origins, isTemplateArchived: _, ...page }: VerificationPage,
): VerificationPageReply {
  return {
    ...page,
    origins: [...origins],
    pageUri: `${urls.publicUrl}/verify/${page.id}`,
    scriptUri: `${urls.publicUrl}/embed.js`,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
