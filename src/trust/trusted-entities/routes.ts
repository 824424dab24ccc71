import { routeGroup } from '../../api/route-group.ts'
import { readPem } from '../../crypto/x509/pem.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { TrustedEntityBody, TrustedEntityListQuery, TrustedEntityMeta, TrustedEntityReply } from './schemas.ts'
import {
  createTrustedEntity,
  getTrustedEntity,
  listTrustedEntities,
  removeTrustedEntity,
  updateTrustedEntity,
} from './trusted-entities.ts'
import type { TrustedEntity } from './trusted-entity.ts'

const entities = routeGroup({
  ...{
    group: 'creds',
    tag: 'trusted entities',
    path: '/trusted-entities',
    replyHeaders: ['ETag'],
    reply: TrustedEntityReply,
    meta: TrustedEntityMeta,
  },
  scope: { read: 'trust:read', write: 'trust:write' },
})

const addRoute = entities.post('', {
  summary:
    'Creates a trusted entity: an issuer or verifier that the organisation trusts, by DIDs, certificates or issuer addresses.',
  body: TrustedEntityBody,
  status: 201,
  faults: ['certificate.invalid'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getTrustedEntity(platform, caller, id)
    return shown(await once(operation, find, (id) => createTrustedEntity(platform, caller, body, id)))
  },
})

const listRoute = entities.list('', {
  summary: 'Lists the entities that the organisation trusts.',
  query: TrustedEntityListQuery,
  read: ({ platform, caller }, list, filters) => listTrustedEntities(platform, caller, list, filters),
  show,
})

const getRoute = entities.get('/{id}', {
  summary: 'Returns a trusted entity, with the subjects and validity of its certificates in `meta`.',
  handle: async ({ platform, caller, params }) => shown(await getTrustedEntity(platform, caller, params.id)),
})

const replaceRoute = entities.put('/{id}', {
  summary: 'Replaces a trusted entity entirely, with immediate effect, also for open presentation requests.',
  body: TrustedEntityBody,
  ifMatch: true,
  faults: ['certificate.invalid', 'resource.changed'],
  handle: async ({ platform, caller, params, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected = ifMatch === undefined ? undefined : (current: TrustedEntity) => isSame(ifMatch, tagOf(current))
    return shown(await updateTrustedEntity(platform, caller, params.id, body, isExpected))
  },
})

const removeRoute = entities.delete('/{id}', {
  summary: 'Deletes a trusted entity. Templates that trust only this entity accept no issuer from then on.',
  reply: undefined,
  handle: async ({ platform, caller, params }) => {
    await removeTrustedEntity(platform, caller, params.id)
    return answer(undefined)
  },
})

/** Trusted entities, in our API. */
export const trustedEntityRoutes: readonly Route[] = [addRoute, listRoute, getRoute, replaceRoute, removeRoute]

function tagOf(entity: TrustedEntity): string {
  return entityTagOf(JSON.stringify(show(entity)))
}

function shown(entity: TrustedEntity) {
  const meta = { certificates: entity.certificates.map(summaryOf) }
  return answer(show(entity), { meta, headers: { etag: tagOf(entity) } })
}

function show({
  createdAt,
  updatedAt,
  dids,
  certificates,
  issuers,
  purposes,
  signerUsages,
  ...rest
}: TrustedEntity): TrustedEntityReply {
  return {
    ...rest,
    dids: dids.map((one) => ({ ...one })),
    certificates: [...certificates],
    issuers: [...issuers],
    purposes: [...purposes],
    signerUsages: [...signerUsages],
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
