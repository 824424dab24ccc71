import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { endpoint } from '../../http/routes/endpoint.ts'
import { publishRoots } from './publish-roots.ts'

const roots = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/roots.pem',
  operationId: 'getIssuerRoots',
  replies: { 200: { types: { 'application/x-pem-file': null } } },
  summary:
    'Returns the root certificates of a tenant that are not revoked, in PEM, to be trusted by wallets and verifiers.',
  tag: 'Trust',
  accepts: 'none',
  crossOrigin: true,
  // [X5-8]
  handle: async ({ platform, params }) => ({
    status: 200,
    type: 'application/x-pem-file',
    body: await publishRoots(platform, await getTenant(platform, params.tenant)),
    headers: { 'cache-control': 'public, max-age=60' },
  }),
})

/** The root certificates of each tenant. */
export const certificateEndpoints = [roots]
