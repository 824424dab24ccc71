import { listAnswer, parseListQuery } from '../../api/list.ts'
import { PDF } from '../../contract/media-types.ts'
import { linkDocument, shareableClaims, sharedLinks } from '../../contract/wallet/card-links.ts'
import { answer, type Route, rawAnswer, serve } from '../../http/routes/route.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { createSharedLink } from './create-link.ts'
import { printSharedLink } from './link-document.ts'
import { endSharedLink, getSharedLink, listSharedLinks } from './own-links.ts'
import { getShareableClaims, sharesByLink } from './shareable-claims.ts'

const createRoute = serve(sharedLinks.create, async ({ platform, caller, body, operation }) =>
  answer(await createSharedLink(platform, caller, body, operation)),
)

const listRoute = serve(sharedLinks.list, async ({ platform, caller, query, href, headers }) => {
  const list = parseListQuery(query)
  const rows = await listSharedLinks(platform, caller, query['filter[credentialId]'] ?? null, list)
  const ids = [...new Set(rows.slice(0, list.size).map(({ credentialId }) => credentialId))]
  const details = await describeCredentials(platform, caller, ids, headers['accept-language'])
  const credentials = Object.fromEntries([...details].map(([id, { display }]) => [id, display]))
  const listed = listAnswer(rows, { href, query, list }, (row) => row)
  const isAvailable = await sharesByLink(platform, caller.tenantId)
  return { ...listed, meta: { ...listed.meta, isAvailable, credentials } }
})

const getRoute = serve(sharedLinks.get, async ({ platform, caller, params }) =>
  answer(await getSharedLink(platform, caller, params.id)),
)

const endRoute = serve(sharedLinks.end, async ({ platform, caller, params }) => {
  await endSharedLink(platform, caller, params.id)
  return answer(undefined)
})

const shareableRoute = serve(shareableClaims, async ({ platform, caller, params }) =>
  answer(await getShareableClaims(platform, caller, params.id)),
)

const documentRoute = serve(linkDocument, async ({ platform, caller, params, body, query }) => {
  const asked = { id: params.id, address: body.address, language: query.language ?? 'en' }
  return rawAnswer(PDF, await printSharedLink(platform, caller, asked))
})

/** Links of a holder, in our API. */
export const sharedLinkRoutes: readonly Route[] = [
  createRoute,
  listRoute,
  getRoute,
  endRoute,
  shareableRoute,
  documentRoute,
]
