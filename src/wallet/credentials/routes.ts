import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { listAnswer, listQuery, PageMeta, parseListQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import type { Caller } from '../../caller.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { findImage, findSvg } from '../display/display-store.ts'
import { drawCard } from '../display/draw-card.ts'
import { CardImage, CheckedStatus, CredentialDetails, ImageParams } from '../display/schemas.ts'
import { getCredential, listHeld } from './get-credential.ts'
import { holderOf } from './holder.ts'
import { checkStatusNow } from './refresh-status.ts'
import { removeCredential } from './remove-credential.ts'
import { type Consent, ConsentBody, Credential, consents } from './schemas.ts'
import { setConsent } from './set-consent.ts'

const Status = Type.Enum([...consents], { description: 'Only credentials with this consent.' })
const CredentialListQuery = listQuery({
  filters: { status: Status, vct: Type.String({ minLength: 1, maxLength: 256 }) },
  more: { status: Status },
})

const credentials = routeGroup({
  ...{ group: 'wallet', tag: 'credentials', params: IdParams, reply: Credential, faults: ['holder.missing'] },
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

const listRoute = credentials.get('/v2/credentials', {
  summary: 'Lists the credentials of the wallet.',
  query: CredentialListQuery,
  meta: Type.Object({
    ...PageMeta.properties,
    credentials: Type.Record(Type.String(), CredentialDetails, { description: 'More about each credential, by id.' }),
  }),
  reply: Type.Array(Credential),
  handle: async ({ platform, caller, query, href, headers }) => {
    const list = parseListQuery(query)
    const filter = { status: statusOf(query.status, query['filter[status]']), vct: query['filter[vct]'] ?? null }
    const rows = await listHeld(platform, caller, filter, list)
    const ids = rows.slice(0, list.size).map(({ id }) => id)
    const details = await describeCredentials(platform, caller, ids, headers['accept-language'])
    const listed = listAnswer(rows, { href, query, list }, (row) => row)
    return { ...listed, meta: { ...listed.meta, credentials: Object.fromEntries(details) } }
  },
})

const getRoute = credentials.get('/v2/credentials/{id}', {
  summary: 'Returns a credential.',
  meta: CredentialDetails,
  handle: async ({ platform, caller, params, headers }) => {
    const credential = await getCredential(platform, caller, params.id)
    const details = await describeCredentials(platform, caller, [params.id], headers['accept-language'])
    return answer(credential, { meta: details.get(params.id) ?? {} })
  },
})

const imageRoute = routeGroup({ group: 'wallet', tag: 'credentials', params: ImageParams, scope: 'wallet:read' }).get(
  '/v2/credentials/{id}/images/{kind}',
  {
    summary:
      'Returns an image of a credential, as it was fetched from its issuer once, after the receipt; `card` has the values of the credential.',
    reply: CardImage,
    faults: ['holder.missing'],
    handle: async ({ platform, caller, params }) => {
      const userId = holderOf(caller)
      const read = (kind: string) =>
        platform.store.single(caller.tenantId, (tx) => findImage(tx, userId, params.id, kind))
      const found = params.kind === 'card' ? await cardOf(platform, caller, params.id) : await read(params.kind)
      if (found === null) throw new Fault('resource.unknown')
      return answer({ mediaType: found.mediaType, data: found.bytes.toString('base64') })
    },
  },
)

async function cardOf(platform: Platform, caller: Caller, id: string) {
  const svg = await platform.store.single(caller.tenantId, (tx) => findSvg(tx, holderOf(caller), id))
  return svg === null ? null : drawCard(svg, (await getCredential(platform, caller, id)).claims as JsonObject)
}

const consentRoute = credentials.patch('/v2/credentials/{id}', {
  summary: 'Sets the consent of the holder. Any status may follow any.',
  body: ConsentBody,
  handle: async ({ platform, caller, params, body }) =>
    answer(await setConsent(platform, caller, params.id, body.status)),
})

/** RFC 9745: the date of deprecation. */
const DEPRECATED_SINCE = '@1767225600' // 2026-01-01

const bareConsentRoute = credentials.patch('/credentials/{id}/status', {
  operationId: 'updateCredentialStatus',
  summary: 'Sets the consent of the holder; replies without the envelope. Use PATCH /v2/credentials/{id}.',
  body: ConsentBody,
  noEnvelope: true,
  handle: async ({ platform, caller, params, body }) => {
    const successor = `${platform.config.walletBaseUrl}/v2/credentials/${params.id}`
    const headers = { deprecation: DEPRECATED_SINCE, link: `<${successor}>; rel="successor-version"` }
    return answer(await setConsent(platform, caller, params.id, body.status), { headers })
  },
})

const statusRoute = credentials.post('/v2/credentials/{id}/status-check', {
  operationId: 'checkCredentialStatus',
  summary:
    'Checks the status of a credential now, besides the regular checks. A list of this deployment is read anew each time, another one if it was fetched more than a minute ago. Only the first copy is checked: an issuer changes the status of all copies.',
  reply: CheckedStatus,
  faults: ['request.rate_limited'],
  handle: async ({ platform, caller, params }) => answer(await checkStatusNow(platform, caller, params.id)),
})

const removeRoute = credentials.delete('/v2/credentials/{id}', {
  summary: 'Removes a credential and destroys its keys.',
  reply: undefined,
  handle: async ({ platform, caller, params }) => {
    await removeCredential(platform, caller, params.id)
    return answer(undefined)
  },
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
