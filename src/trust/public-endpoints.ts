import { getTenant } from '../directory/find-tenant.ts'
import { endpoint } from '../http/endpoint.ts'
import { publishDidDocument } from './publish-did-document.ts'

const didDocument = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/did.json',
  says: 'The DID document of a tenant: the keys behind its credentials, status lists and presentation requests.',
  tag: 'Trust',
  takes: 'none',
  crossOrigin: true,
  handle: async ({ platform, params }) => ({
    status: 200,
    type: 'application/did+json',
    body: Buffer.from(JSON.stringify(await publishDidDocument(platform, await getTenant(platform, params.tenant)))),
    headers: { 'cache-control': 'public, max-age=60' },
  }),
})

/** What verifiers read to find the keys of a tenant. */
export const trustEndpoints = [didDocument]
