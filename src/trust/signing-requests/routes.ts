import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { filtersOf, listPage } from '../../api/list.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { showCertificate } from '../certificates/certificate-view.ts'
import { getCertificate } from '../certificates/get-certificate.ts'
import { CertificateView } from '../certificates/schemas.ts'
import { createSigningRequest } from './create-signing-request.ts'
import { getSigningRequest } from './get-signing-request.ts'
import { importCertificate } from './import-certificate.ts'
import { ImportBody, SignBody, SigningRequestBody, SigningRequestListQuery, SigningRequestView } from './schemas.ts'
import { signSigningRequest } from './sign-request.ts'
import { listSigningRequests } from './signing-request-store.ts'
import { showSigningRequest } from './signing-request-view.ts'

const tag = 'certificates'

const create = route({
  group: 'creds',
  method: 'POST',
  path: '/certificates/csrs',
  tag,
  summary:
    'Creates a key and a certificate signing request for it, to be signed by another authority or by a root of the tenant.',
  scope: 'trust:write',
  body: SigningRequestBody,
  status: 201,
  reply: SigningRequestView,
  faults: [],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getSigningRequest(platform, caller, id)
    const create = (id: string) => createSigningRequest(platform, caller, body, id)
    return answer(showSigningRequest(await once(operation, find, create)))
  },
})

const list = route({
  group: 'creds',
  method: 'GET',
  path: '/certificates/csrs',
  tag,
  summary: 'Lists the certificate signing requests of the tenant.',
  scope: 'trust:read',
  query: SigningRequestListQuery,
  status: 200,
  reply: Type.Array(SigningRequestView),
  faults: [],
  handle: ({ platform: { store, clock }, caller, query, href }) =>
    listPage(
      { query, href },
      (list) => store.single(caller.tenantId, (tx) => listSigningRequests(tx, list, filtersOf(query), clock.now())),
      showSigningRequest,
    ),
})

const get = route({
  group: 'creds',
  method: 'GET',
  path: '/certificates/csrs/{id}',
  tag,
  summary: 'Returns a certificate signing request.',
  scope: 'trust:read',
  params: IdParams,
  status: 200,
  reply: SigningRequestView,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) =>
    answer(showSigningRequest(await getSigningRequest(platform, caller, params.id))),
})

const importRoute = route({
  group: 'creds',
  method: 'POST',
  path: '/certificates/csrs/{id}/import',
  tag,
  summary: 'Imports the certificate that another authority signed for the request, after all checks.',
  scope: 'trust:write',
  params: IdParams,
  body: ImportBody,
  status: 201,
  reply: CertificateView,
  faults: [
    ...(['resource.unknown', 'state.invalid', 'certificate.invalid', 'certificate.key_mismatch'] as const),
    ...(['certificate.chain_broken', 'certificate.wrong_usage', 'certificate.not_valid_now'] as const),
    ...(['certificate.valid_too_long', 'certificate.other_country'] as const),
  ],
  handle: async ({ platform, caller, params, body, operation }) => {
    const find = (id: string) => getCertificate(platform, caller, id)
    const attach = (id: string) => importCertificate(platform, caller, params.id, body, id)
    return answer(showCertificate(await once(operation, find, attach)))
  },
})

const sign = route({
  group: 'creds',
  method: 'POST',
  path: '/certificates/{id}/sign',
  tag,
  summary: 'Signs a certificate signing request with this root. Extensions that the request asks for are not copied.',
  scope: 'trust:write',
  params: IdParams,
  body: SignBody,
  status: 201,
  reply: CertificateView,
  faults: [
    ...(['resource.unknown', 'state.invalid', 'certificate.invalid', 'certificate.refused'] as const),
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
