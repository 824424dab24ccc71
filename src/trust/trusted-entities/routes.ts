import { Type } from 'typebox'
import { filtersOf, listPage } from '../../api/list.ts'
import { readPem } from '../../crypto/x509/pem.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { TrustedEntityBody, TrustedEntityListQuery, TrustedEntityReply } from './schemas.ts'
import {
  createTrustedEntity,
  getTrustedEntity,
  listTrustedEntities,
  removeTrustedEntity,
  updateTrustedEntity,
} from './trusted-entities.ts'
import type { TrustedEntity } from './trusted-entity.ts'

const reading = { group: 'creds', tag: 'trusted entities', scope: 'trust:read', status: 200 } as const
const writing = { group: 'creds', tag: 'trusted entities', scope: 'trust:write' } as const

const addRoute = route({
  ...writing,
  method: 'POST',
  path: '/trusted-entities',
  summary:
    'Creates a trusted entity: an issuer or verifier that the organisation trusts, by DIDs, certificates or issuer addresses.',
  body: TrustedEntityBody,
  status: 201,
  reply: TrustedEntityReply,
  faults: ['certificate.invalid'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getTrustedEntity(platform, caller, id)
    return shown(await once(operation, find, (id) => createTrustedEntity(platform, caller, body, id)))
  },
})

const listRoute = route({
  ...reading,
  method: 'GET',
  path: '/trusted-entities',
  summary: 'Lists the entities that the organisation trusts.',
  query: TrustedEntityListQuery,
  reply: Type.Array(TrustedEntityReply),
  faults: [],
  handle: ({ platform, caller, query, href }) =>
    listPage({ query, href }, (list) => listTrustedEntities(platform, caller, list, filtersOf(query)), show),
})

const getRoute = route({
  ...reading,
  method: 'GET',
  path: '/trusted-entities/{id}',
  summary: 'Returns a trusted entity, with the subjects and validity of its certificates in `meta`.',
  reply: TrustedEntityReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => shown(await getTrustedEntity(platform, caller, params.id)),
})

const replaceRoute = route({
  ...writing,
  method: 'PUT',
  path: '/trusted-entities/{id}',
  summary: 'Replaces a trusted entity entirely, with immediate effect, also for open presentation requests.',
  body: TrustedEntityBody,
  status: 200,
  reply: TrustedEntityReply,
  faults: ['resource.unknown', 'certificate.invalid'],
  handle: async ({ platform, caller, params, body }) =>
    shown(await updateTrustedEntity(platform, caller, params.id, body)),
})

const removeRoute = route({
  ...writing,
  method: 'DELETE',
  path: '/trusted-entities/{id}',
  summary: 'Deletes a trusted entity. Templates that trust only this entity accept no issuer from then on.',
  status: 204,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => {
    await removeTrustedEntity(platform, caller, params.id)
    return answer(undefined)
  },
})

/** Trusted entities, in our API. */
export const trustedEntityRoutes: readonly Route[] = [addRoute, listRoute, getRoute, replaceRoute, removeRoute]

function shown(entity: TrustedEntity) {
  return answer(show(entity), { meta: { certificates: entity.certificates.map(summaryOf) } })
}

function show({
  createdAt,
  updatedAt,
  dids,
  certificates,
  issuers,
  purposes,
  ...rest
}: TrustedEntity): TrustedEntityReply {
  return {
    ...rest,
    dids: dids.map((one) => ({ ...one })),
    certificates: [...certificates],
    issuers: [...issuers],
    purposes: [...purposes],
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

function summaryOf(pem: string) {
  const { subject, issuer, extensions, notBefore, notAfter } = readPem(pem)
  return {
    subject: subject.text,
    issuer: issuer.text,
    subjectKeyIdentifier: extensions.subjectKeyId?.toString('hex') ?? '',
    notBefore: notBefore.toISOString(),
    notAfter: notAfter.toISOString(),
  }
}
