import { Type } from 'typebox'
import { filtersOf, listPage } from '../http/list.ts'
import { once } from '../http/operation.ts'
import { answer, type Route, rawAnswer, route } from '../http/route.ts'
import { CertificateListQuery, CertificateView, IdParams, RootBody, SignBody } from './certificate-schemas.ts'
import { listCertificates } from './certificate-store.ts'
import { showCertificate } from './certificate-view.ts'
import { activateCertificate, deactivateCertificate, revokeCertificate } from './change-certificate.ts'
import { createRoot } from './create-root.ts'
import { getCertificate, getChain } from './get-certificate.ts'
import { signSigningRequest } from './sign-request.ts'

const PEM = 'application/x-pem-file'
const tag = 'certificates'

const create = route({
  group: 'creds',
  method: 'POST',
  path: '/certificates',
  tag,
  says: 'Creates a root certificate. The first of its kind and key type is active and signs by a leaf that it makes itself.',
  needs: 'trust:write',
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
  says: 'Lists the certificates of the tenant, those that roots made by themselves too.',
  needs: 'trust:read',
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
  says: 'Reads a certificate; with `Accept: application/x-pem-file` it and its chain, root last.',
  needs: 'trust:read',
  params: IdParams,
  status: 200,
  reply: CertificateView,
  produces: [PEM],
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params, wants }) => {
    if (wants === PEM) return rawAnswer(PEM, await getChain(platform, caller, params.id))
    return answer(showCertificate(await getCertificate(platform, caller, params.id)))
  },
})

const activate = route({
  group: 'creds',
  method: 'POST',
  path: '/certificates/{id}/activate',
  tag,
  says: 'Signs with this certificate from now on; the active one of its kind and key type becomes inactive.',
  needs: 'trust:write',
  params: IdParams,
  status: 200,
  reply: CertificateView,
  faults: ['resource.unknown', 'state.invalid'],
  handle: async ({ platform, caller, params }) =>
    answer(showCertificate(await activateCertificate(platform, caller, params.id))),
})

const deactivate = route({
  group: 'creds',
  method: 'POST',
  path: '/certificates/{id}/deactivate',
  tag,
  says: 'Signs with this certificate no more. What it signed stays valid.',
  needs: 'trust:write',
  params: IdParams,
  status: 200,
  reply: CertificateView,
  faults: ['resource.unknown', 'state.invalid'],
  handle: async ({ platform, caller, params }) =>
    answer(showCertificate(await deactivateCertificate(platform, caller, params.id))),
})

const revoke = route({
  group: 'creds',
  method: 'POST',
  path: '/certificates/{id}/revoke',
  tag,
  says: 'Revokes a certificate for good, with everything below it. It stands in the revocation list of its root at once.',
  needs: 'trust:write',
  params: IdParams,
  status: 200,
  reply: CertificateView,
  faults: ['resource.unknown', 'state.invalid'],
  handle: async ({ platform, caller, params }) =>
    answer(showCertificate(await revokeCertificate(platform, caller, params.id))),
})

const sign = route({
  group: 'creds',
  method: 'POST',
  path: '/certificates/{id}/sign',
  tag,
  says: 'Signs a certificate signing request with this root. Extensions that the request asks for are not copied.',
  needs: 'trust:write',
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
    const sign = (id: string) => signSigningRequest(platform, caller, params.id, { ...body, id })
    return answer(showCertificate(await once(operation, find, sign)))
  },
})

/** Certificates, in our API. */
export const certificateRoutes: readonly Route[] = [create, list, get, activate, deactivate, revoke, sign]
