import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { endpoint } from '../../http/routes/endpoint.ts'
import { publishDidDocument } from './publish-did-document.ts'

const didDocument = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/did.json',
  summary:
    'Returns the DID document of a tenant: the keys behind its credentials, status lists and presentation requests.',
  tag: 'Trust',
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform, params }) => ({
    status: 200,
    type: 'application/did+json',
    body: Buffer.from(JSON.stringify(await publishDidDocument(platform, await getTenant(platform, params.tenant)))),
    headers: { 'cache-control': 'public, max-age=60' },
  }),
})

/** The `did:web` document of each tenant. */
export const didEndpoints = [didDocument]
