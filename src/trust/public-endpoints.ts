import { getTenant } from '../directory/tenants/find-tenant.ts'
import { Fault } from '../fault.ts'
import { endpoint } from '../http/routes/endpoint.ts'
import { publishRoots } from './certificates/publish-roots.ts'
import { publishDidDocument } from './did/publish-did-document.ts'
import { CRL_MEDIA_TYPE, publishCrl } from './revocation/publish-crl.ts'

const didDocument = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/did.json',
  summary: 'The DID document of a tenant: the keys behind its credentials, status lists and presentation requests.',
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

const revocationList = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/crls/{list}',
  summary:
    'The certificate revocation list of a root of a tenant, issuer or verifier: `{list}` is the id of the root and `.crl`.',
  tag: 'Trust',
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform, params, headers }) => {
    const tenant = await getTenant(platform, params.tenant)
    if (!params.list.endsWith('.crl')) throw new Fault('resource.unknown')
    const list = await publishCrl(platform, tenant.id, params.list.slice(0, -'.crl'.length))
    const shown = { etag: list.etag, 'cache-control': 'public, max-age=60' }
    if (headers['if-none-match'] === list.etag) return { status: 304, headers: shown }
    return { status: 200, type: CRL_MEDIA_TYPE, body: list.der, headers: shown }
  },
})

const roots = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/roots.pem',
  summary:
    'The root certificates of a tenant that are not revoked, in PEM: whoever wants to trust it takes them from here.',
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

/** What verifiers read to find the keys of a tenant, and what is left of their worth. */
export const trustEndpoints = [didDocument, revocationList, roots]
