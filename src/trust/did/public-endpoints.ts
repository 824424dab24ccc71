import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { endpoint } from '../../http/routes/endpoint.ts'
import { publishDidDocument } from './publish-did-document.ts'
import { publishIssuerKeys } from './publish-issuer-keys.ts'

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

const issuerKeys = endpoint({
  method: 'GET',
  path: '/.well-known/jwt-vc-issuer/issuers/{tenant}',
  summary: 'Returns the JWT VC issuer metadata of a tenant: the keys behind its credentials and status lists.',
  tag: 'Trust',
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform, params }) => ({
    status: 200,
    body: await publishIssuerKeys(platform, await getTenant(platform, params.tenant)),
    headers: { 'cache-control': 'public, max-age=60' },
  }),
})

/** The keys of each tenant: its `did:web` document and its JWT VC issuer metadata. */
export const didEndpoints = [didDocument, issuerKeys]
