import { serveList } from '../../api/serve-list.ts'
import { type TrustedEntityReply, trustedEntities } from '../../contract/trust/trusted-entities.ts'
import { readPem } from '../../crypto/x509/pem.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import {
  createTrustedEntity,
  getTrustedEntity,
  listTrustedEntities,
  removeTrustedEntity,
  updateTrustedEntity,
} from './trusted-entities.ts'
import type { TrustedEntity } from './trusted-entity.ts'

const addRoute = serve(trustedEntities.create, async ({ platform, caller, body, operation }) => {
  const find = (id: string) => getTrustedEntity(platform, caller, id)
  return shown(await once(operation, find, (id) => createTrustedEntity(platform, caller, body, id)))
})

const listRoute = serveList(trustedEntities.list, {
  read: ({ platform, caller }, list, filters) => listTrustedEntities(platform, caller, list, filters),
  show,
})

const getRoute = serve(trustedEntities.get, async ({ platform, caller, params }) =>
  shown(await getTrustedEntity(platform, caller, params.id)),
)

const replaceRoute = serve(trustedEntities.replace, async ({ platform, caller, params, body, headers }) => {
  const ifMatch = headers['if-match']
  const isExpected = ifMatch === undefined ? undefined : (current: TrustedEntity) => isSame(ifMatch, tagOf(current))
  return shown(await updateTrustedEntity(platform, caller, params.id, body, isExpected))
})

const removeRoute = serve(trustedEntities.delete, async ({ platform, caller, params }) => {
  await removeTrustedEntity(platform, caller, params.id)
  return answer(undefined)
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
