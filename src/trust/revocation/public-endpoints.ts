import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { endpoint } from '../../http/routes/endpoint.ts'
import { isUnchanged } from '../../http/routes/entity-tag.ts'
import { CRL_MEDIA_TYPE, publishCrl } from './publish-crl.ts'

const revocationList = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/crls/{list}',
  operationId: 'getRevocationList',
  replies: { 200: { types: { 'application/pkix-crl': null } }, 304: { description: 'Not modified.' } },
  summary:
    'Returns the certificate revocation list of an issuer or verifier root of a tenant: `{list}` is the id of the root followed by `.crl`.',
  tag: 'Trust',
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform, params, headers }) => {
    const tenant = await getTenant(platform, params.tenant)
    if (!params.list.endsWith('.crl')) throw new Fault('resource.unknown')
    const list = await publishCrl(platform, tenant.id, params.list.slice(0, -'.crl'.length))
    const shown = { etag: list.etag, 'cache-control': 'public, max-age=60' }
    if (isUnchanged(headers['if-none-match'], list.etag)) return { status: 304, headers: shown }
    return { status: 200, type: CRL_MEDIA_TYPE, body: list.der, headers: shown }
  },
})

/** The revocation lists of each tenant. */
export const revocationEndpoints = [revocationList]
