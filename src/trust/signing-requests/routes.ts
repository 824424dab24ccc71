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

const reading = { group: 'creds', tag: 'certificates', scope: 'trust:read', status: 200 } as const
const writing = { group: 'creds', tag: 'certificates', scope: 'trust:write' } as const

const create = route({
  ...writing,
  method: 'POST',
  path: '/certificates/csrs',
  summary:
    'Creates a key and a certificate signing request for it, to be signed by another authority or by a root of the tenant.',
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
  ...reading,
  method: 'GET',
  path: '/certificates/csrs',
  summary: 'Lists the certificate signing requests of the tenant.',
  query: SigningRequestListQuery,
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
  ...reading,
  method: 'GET',
  path: '/certificates/csrs/{id}',
  summary: 'Returns a certificate signing request.',
  params: IdParams,
  reply: SigningRequestView,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) =>
    answer(showSigningRequest(await getSigningRequest(platform, caller, params.id))),
})

const importRoute = route({
  ...writing,
  method: 'POST',
  path: '/certificates/csrs/{id}/import',
  summary: 'Imports the certificate that another authority signed for the request, after all checks.',
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
  ...writing,
  method: 'POST',
  path: '/certificates/{id}/sign',
  summary: 'Signs a certificate signing request with this root. Extensions that the request asks for are not copied.',
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
