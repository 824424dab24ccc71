import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { filtersOf, listPage } from '../../api/list.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, rawAnswer, route } from '../../http/routes/route.ts'
import { listCertificates } from './certificate-store.ts'
import { showCertificate } from './certificate-view.ts'
import { activateCertificate, deactivateCertificate, revokeCertificate } from './change-certificate.ts'
import { createRoot } from './create-root.ts'
import { getCertificate, getChain } from './get-certificate.ts'
import { CertificateListQuery, CertificateView, RootBody } from './schemas.ts'

const PEM = 'application/x-pem-file'
const tag = 'certificates'

const create = route({
  group: 'creds',
  method: 'POST',
  path: '/certificates',
  tag,
  summary:
    'Creates a root certificate. The first of its kind and key type is active and signs by a leaf that it makes itself.',
  scope: 'trust:write',
  body: RootBody,
  status: 201,
  reply: CertificateView,
  faults: ['certificate.refused'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getCertificate(platform, caller, id)
    return answer(showCertificate(await once(operation, find, (id) => createRoot(platform, caller, body, id))))
  },
})

const list = route({
  group: 'creds',
  method: 'GET',
  path: '/certificates',
  tag,
  summary: 'Lists the certificates of the tenant, those that roots made by themselves too.',
  scope: 'trust:read',
  query: CertificateListQuery,
  status: 200,
  reply: Type.Array(CertificateView),
  faults: [],
  handle: ({ platform: { store, clock }, caller, query, href }) =>
    listPage(
      { query, href },
      (list) => store.single(caller.tenantId, (tx) => listCertificates(tx, list, filtersOf(query), clock.now())),
      showCertificate,
    ),
})

const get = route({
  group: 'creds',
  method: 'GET',
  path: '/certificates/{id}',
  tag,
  summary: 'Reads a certificate; with `Accept: application/x-pem-file` it and its chain, root last.',
  scope: 'trust:read',
  params: IdParams,
  status: 200,
  reply: CertificateView,
  produces: [PEM],
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params, responseType: wants }) => {
    if (wants === PEM) return rawAnswer(PEM, await getChain(platform, caller, params.id))
    return answer(showCertificate(await getCertificate(platform, caller, params.id)))
  },
})

/** What may become of a certificate, by the last part of the path. */
const changes = {
  activate: {
    says: 'Signs with this certificate from now on; the active one of its kind and key type becomes inactive.',
    change: activateCertificate,
  },
  deactivate: {
    says: 'Signs with this certificate no more. What it signed stays valid.',
    change: deactivateCertificate,
  },
  revoke: {
    says: 'Revokes a certificate for good, with everything below it. It stands in the revocation list of its root at once.',
    change: revokeCertificate,
  },
} as const

const changeRoutes = Object.entries(changes).map(([verb, { says, change }]) =>
  route({
    group: 'creds',
    method: 'POST',
    path: `/certificates/{id}/${verb}`,
    tag,
    summary: says,
    scope: 'trust:write',
    params: IdParams,
    status: 200,
    reply: CertificateView,
    faults: ['resource.unknown', 'state.invalid'],
    handle: async ({ platform, caller, params }) => answer(showCertificate(await change(platform, caller, params.id))),
  }),
)

/** Certificates, in our API. */
export const certificateRoutes: readonly Route[] = [create, list, get, ...changeRoutes]
