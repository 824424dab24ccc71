import { serveList } from '../../api/serve-list.ts'
import { signingRequests } from '../../contract/trust/signing-requests.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { showCertificate } from '../certificates/certificate-view.ts'
import { getCertificate } from '../certificates/get-certificate.ts'
import { createSigningRequest, signingRequestViolations } from './create-signing-request.ts'
import { getSigningRequest } from './get-signing-request.ts'
import { importCertificate } from './import-certificate.ts'
import { signSigningRequest } from './sign-request.ts'
import { listSigningRequests } from './signing-request-store.ts'
import { showSigningRequest } from './signing-request-view.ts'

const create = serve(
  signingRequests.create,
  async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getSigningRequest(platform, caller, id)
    const create = (id: string) => createSigningRequest(platform, caller, body, id)
    return answer(showSigningRequest(await once(operation, find, create)))
  },
  { rules: signingRequestViolations },
)

const list = serveList(signingRequests.list, {
  read: ({ platform: { store, clock }, caller }, list, filters) =>
    store.single(caller.tenantId, (tx) => listSigningRequests(tx, list, filters, clock.now())),
  show: showSigningRequest,
})

const get = serve(signingRequests.get, async ({ platform, caller, params }) =>
  answer(showSigningRequest(await getSigningRequest(platform, caller, params.id))),
)

const importRoute = serve(signingRequests.import, async ({ platform, caller, params, body, operation }) => {
  const find = (id: string) => getCertificate(platform, caller, id)
  const attach = (id: string) => importCertificate(platform, caller, params.id, body, id)
  return answer(showCertificate(await once(operation, find, attach)))
})

const sign = serve(signingRequests.sign, async ({ platform, caller, params, body, operation }) => {
  const find = (id: string) => getCertificate(platform, caller, id)
  const sign = (id: string) => signSigningRequest(platform, caller, params.id, body, id)
  return answer(showCertificate(await once(operation, find, sign)))
})

/** Certificate signing requests, in our API. */
export const signingRequestRoutes: readonly Route[] = [create, list, get, importRoute, sign]
