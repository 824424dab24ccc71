import { serveList } from '../../api/serve-list.ts'
import { type VerificationPageReply, verificationPages } from '../../contract/verification/verification-pages.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import {
  changeVerificationPage,
  createVerificationPage,
  getVerificationPage,
  originViolations,
  removeVerificationPage,
} from './manage-pages.ts'
import { listVerificationPages } from './page-store.ts'
import type { VerificationPage } from './verification-page.ts'

const createRoute = serve(
  verificationPages.create,
  async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getVerificationPage(platform, caller, id)
    return shown(platform, await once(operation, find, (id) => createVerificationPage(platform, caller, body, id)))
  },
  { rules: originViolations },
)

const listRoute = serveList(verificationPages.list, {
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listVerificationPages(tx, list, filters)),
  show: (row, { platform }) => show(platform, row),
})

const getRoute = serve(verificationPages.get, async ({ platform, caller, params }) =>
  shown(platform, await getVerificationPage(platform, caller, params.id)),
)

const changeRoute = serve(
  verificationPages.change,
  async ({ platform, caller, params, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected =
      ifMatch === undefined ? undefined : (now: VerificationPage) => isSame(ifMatch, tagOf(platform, now))
    return shown(platform, await changeVerificationPage(platform, caller, params.id, body, isExpected))
  },
  { rules: originViolations },
)

const removeRoute = serve(verificationPages.delete, async ({ platform, caller, params }) => {
  await removeVerificationPage(platform, caller, params.id)
  return answer(undefined)
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
