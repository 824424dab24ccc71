import { IdParams } from '../../api/id-params.ts'
import { routeGroup } from '../../api/route-group.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { showCertificate } from '../certificates/certificate-view.ts'
import { getCertificate } from '../certificates/get-certificate.ts'
import { CertificateView } from '../certificates/schemas.ts'
import { createSigningRequest, signingRequestViolations } from './create-signing-request.ts'
import { getSigningRequest } from './get-signing-request.ts'
import { importCertificate } from './import-certificate.ts'
import { ImportBody, SignBody, SigningRequestBody, SigningRequestListQuery, SigningRequestView } from './schemas.ts'
import { signSigningRequest } from './sign-request.ts'
import { listSigningRequests } from './signing-request-store.ts'
import { showSigningRequest } from './signing-request-view.ts'

const requests = routeGroup({
  ...{ group: 'creds', tag: 'certificates', path: '/certificates', params: IdParams, reply: SigningRequestView },
  scope: { read: 'trust:read', write: 'trust:write' },
})

const create = requests.post('/csrs', {
  summary:
    'Creates a key and a certificate signing request for it, to be signed by another authority or by a root of the tenant.',
  body: SigningRequestBody,
  rules: signingRequestViolations,
  status: 201,
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getSigningRequest(platform, caller, id)
    const create = (id: string) => createSigningRequest(platform, caller, body, id)
    return answer(showSigningRequest(await once(operation, find, create)))
  },
})

const list = requests.list('/csrs', {
  summary: 'Lists the certificate signing requests of the tenant.',
  query: SigningRequestListQuery,
  read: ({ platform: { store, clock }, caller }, list, filters) =>
    store.single(caller.tenantId, (tx) => listSigningRequests(tx, list, filters, clock.now())),
  show: showSigningRequest,
})

const get = requests.get('/csrs/{id}', {
  summary: 'Returns a certificate signing request.',
  handle: async ({ platform, caller, params }) =>
    answer(showSigningRequest(await getSigningRequest(platform, caller, params.id))),
})

const importRoute = requests.post('/csrs/{id}/import', {
  summary: 'Imports the certificate that another authority signed for the request, after all checks.',
  body: ImportBody,
  status: 201,
  reply: CertificateView,
  faults: [
    ...(['state.invalid', 'certificate.invalid', 'certificate.key_mismatch'] as const),
    ...(['certificate.chain_broken', 'certificate.wrong_usage', 'certificate.not_valid_now'] as const),
    ...(['certificate.valid_too_long', 'certificate.other_country'] as const),
  ],
  handle: async ({ platform, caller, params, body, operation }) => {
    const find = (id: string) => getCertificate(platform, caller, id)
    const attach = (id: string) => importCertificate(platform, caller, params.id, body, id)
    return answer(showCertificate(await once(operation, find, attach)))
  },
})

const sign = requests.post('/{id}/sign', {
  summary: 'Signs a certificate signing request with this root. Extensions that the request asks for are not copied.',
  body: SignBody,
  status: 201,
  reply: CertificateView,
  faults: [
    ...(['state.invalid', 'certificate.invalid', 'certificate.refused'] as const),
    ...(['signing_request.unproven', 'certificate.other_country', 'certificate.incapable_root'] as const),
  ],
  handle: async ({ platform, caller, params, body, operation }) => {
    const find = (id: string) => getCertificate(platform, caller, id)
    const sign = (id: string) => signSigningRequest(platform, caller, params.id, body, id)
    return answer(showCertificate(await once(operation, find, sign)))
  },
})

/** Certificate signing requests, in our API. */
export const signingRequestRoutes: readonly Route[] = [create, list, get, importRoute, sign]
