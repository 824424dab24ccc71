import { serveList } from '../../api/serve-list.ts'
import { PEM } from '../../contract/media-types.ts'
import { certificates } from '../../contract/trust/certificates.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, rawAnswer, serve } from '../../http/routes/route.ts'
import { listCertificates } from './certificate-store.ts'
import { showCertificate } from './certificate-view.ts'
import { activateCertificate, deactivateCertificate, revokeCertificate } from './change-certificate.ts'
import { createRoot, rootViolations } from './create-root.ts'
import { getCertificate, getChain } from './get-certificate.ts'

const create = serve(
  certificates.create,
  async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getCertificate(platform, caller, id)
    return answer(showCertificate(await once(operation, find, (id) => createRoot(platform, caller, body, id))))
  },
  { rules: rootViolations },
)

const list = serveList(certificates.list, {
  read: ({ platform: { store, clock }, caller }, list, filters) =>
    store.single(caller.tenantId, (tx) => listCertificates(tx, list, filters, clock.now())),
  show: showCertificate,
})

const get = serve(certificates.get, async ({ platform, caller, params, responseType }) => {
  if (responseType === PEM) return rawAnswer(PEM, await getChain(platform, caller, params.id))
  return answer(showCertificate(await getCertificate(platform, caller, params.id)))
})

const activateRoute = serve(certificates.activate, async ({ platform, caller, params }) =>
  answer(showCertificate(await activateCertificate(platform, caller, params.id))),
)

const deactivateRoute = serve(certificates.deactivate, async ({ platform, caller, params }) =>
  answer(showCertificate(await deactivateCertificate(platform, caller, params.id))),
)

const revokeRoute = serve(certificates.revoke, async ({ platform, caller, params }) =>
  answer(showCertificate(await revokeCertificate(platform, caller, params.id))),
)

/** Certificates, in our API. */
export const certificateRoutes: readonly Route[] = [create, list, get, activateRoute, deactivateRoute, revokeRoute]
