import { listAnswer, parseListQuery } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import { type Consent, walletCredentials } from '../../contract/wallet/credentials.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { findImage, findSvg } from '../display/display-store.ts'
import { drawCard } from '../display/draw-card.ts'
import { getCredential, listHeld } from './get-credential.ts'
import { holderOf } from './holder.ts'
import { checkStatusNow } from './refresh-status.ts'
import { removeCredential } from './remove-credential.ts'
import { setConsent } from './set-consent.ts'

const listRoute = serve(walletCredentials.list, async ({ platform, caller, query, href, headers }) => {
  const list = parseListQuery(query)
  const filter = {
    status: statusOf(query.status, query['filter[status]']),
    vct: query['filter[vct]'] ?? null,
    superseded: query['filter[superseded]'] ?? null,
  }
  const rows = await listHeld(platform, caller, filter, list)
  const ids = rows.slice(0, list.size).map(({ id }) => id)
  const details = await describeCredentials(platform, caller, ids, headers['accept-language'])
  const listed = listAnswer(rows, { href, query, list }, (row) => row)
  return { ...listed, meta: { ...listed.meta, credentials: Object.fromEntries(details) } }
})

const getRoute = serve(walletCredentials.get, async ({ platform, caller, params, headers }) => {
  const credential = await getCredential(platform, caller, params.id)
  const details = await describeCredentials(platform, caller, [params.id], headers['accept-language'])
  return answer(credential, { meta: details.get(params.id) ?? {} })
})

const imageRoute = serve(walletCredentials.getImage, async ({ platform, caller, params }) => {
  const userId = holderOf(caller)
  const read = (kind: string) => platform.store.single(caller.tenantId, (tx) => findImage(tx, userId, params.id, kind))
  const found = params.kind === 'card' ? await cardOf(platform, caller, params.id) : await read(params.kind)
  if (found === null) throw new Fault('resource.unknown')
  return answer({ mediaType: found.mediaType, data: found.bytes.toString('base64') })
})

async function cardOf(platform: Platform, caller: Caller, id: string) {
  const svg = await platform.store.single(caller.tenantId, (tx) => findSvg(tx, holderOf(caller), id))
  return svg === null ? null : drawCard(svg, (await getCredential(platform, caller, id)).claims as JsonObject)
}

const consentRoute = serve(walletCredentials.setConsent, async ({ platform, caller, params, body }) =>
  answer(await setConsent(platform, caller, params.id, body.status)),
)

/** RFC 9745: the date of deprecation. */
const DEPRECATED_SINCE = '@1767225600' // 2026-01-01

const bareConsentRoute = serve(walletCredentials.setConsentAtFormerPath, async ({ platform, caller, params, body }) => {
  const successor = `${platform.config.walletBaseUrl}/v2/credentials/${params.id}`
  const headers = { deprecation: DEPRECATED_SINCE, link: `<${successor}>; rel="successor-version"` }
  return answer(await setConsent(platform, caller, params.id, body.status), { headers })
})

const statusRoute = serve(walletCredentials.checkStatus, async ({ platform, caller, params }) =>
  answer(await checkStatusNow(platform, caller, params.id)),
)

const removeRoute = serve(walletCredentials.delete, async ({ platform, caller, params }) => {
  await removeCredential(platform, caller, params.id)
  return answer(undefined)
})

/** The credentials of a holder, in our API. */
export const credentialRoutes: readonly Route[] = [
  listRoute,
  getRoute,
  imageRoute,
  consentRoute,
  bareConsentRoute,
  statusRoute,
  removeRoute,
]

/** `status` and `filter[status]` are synonyms. @throws Fault `request.invalid` if they differ */
function statusOf(plain: Consent | undefined, filtered: Consent | undefined): Consent | null {
  if (plain !== undefined && filtered !== undefined && plain !== filtered) {
    const detail = 'status and filter[status] differ.'
    throw new Fault('request.invalid', { violations: [{ detail, parameter: 'status' }] })
  }
  return plain ?? filtered ?? null
}
