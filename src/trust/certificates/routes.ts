import { IdParams } from '../../api/id-params.ts'
import { routeGroup } from '../../api/route-group.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, rawAnswer } from '../../http/routes/route.ts'
import { listCertificates } from './certificate-store.ts'
import { showCertificate } from './certificate-view.ts'
import { activateCertificate, deactivateCertificate, revokeCertificate } from './change-certificate.ts'
import { createRoot, rootViolations } from './create-root.ts'
import { getCertificate, getChain } from './get-certificate.ts'
import { CertificateListQuery, CertificateView, RootBody } from './schemas.ts'

const PEM = 'application/x-pem-file'
const certificates = routeGroup({
  ...{ group: 'creds', tag: 'certificates', path: '/certificates', params: IdParams, reply: CertificateView },
  scope: { read: 'trust:read', write: 'trust:write' },
})

const create = certificates.post('', {
  summary:
    'Creates a root certificate. The first of its kind and key type is active, and signs with a leaf that is created automatically.',
  body: RootBody,
  rules: rootViolations,
  status: 201,
  faults: ['certificate.refused'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getCertificate(platform, caller, id)
    return answer(showCertificate(await once(operation, find, (id) => createRoot(platform, caller, body, id))))
  },
})

const list = certificates.list('', {
  summary: 'Lists the certificates of the tenant, including leafs that were created automatically.',
  query: CertificateListQuery,
  read: ({ platform: { store, clock }, caller }, list, filters) =>
    store.single(caller.tenantId, (tx) => listCertificates(tx, list, filters, clock.now())),
  show: showCertificate,
})

const get = certificates.get('/{id}', {
  summary: 'Returns a certificate; with `Accept: application/x-pem-file` it and its chain, root last.',
  produces: [PEM],
  textExamples: { [PEM]: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n' },
  handle: async ({ platform, caller, params, responseType }) => {
    if (responseType === PEM) return rawAnswer(PEM, await getChain(platform, caller, params.id))
    return answer(showCertificate(await getCertificate(platform, caller, params.id)))
  },
})

/** Status changes, by the last segment of the path. */
const changes = {
  activate: {
    summary: 'Activates a certificate; the active one of its kind and key type becomes inactive.',
    change: activateCertificate,
  },
  deactivate: {
    summary: 'Deactivates a certificate. What it signed stays valid.',
    change: deactivateCertificate,
  },
  revoke: {
    summary:
      'Revokes a certificate permanently, with everything below it. The revocation list of its root contains it at once.',
    change: revokeCertificate,
  },
} as const

const changeRoutes = Object.entries(changes).map(([verb, { summary, change }]) =>
  certificates.post(`/{id}/${verb}`, {
    summary,
    faults: ['state.invalid'],
    handle: async ({ platform, caller, params }) => answer(showCertificate(await change(platform, caller, params.id))),
  }),
)

/** Certificates, in our API. */
export const certificateRoutes: readonly Route[] = [create, list, get, ...changeRoutes]
