import { Fault } from '../../fault.ts'
import { type Endpoint, endpoint } from '../../http/routes/endpoint.ts'
import { PICTURE_POLICY } from '../../pages/page-headers.ts'
import { getTenant } from './find-tenant.ts'
import { findLogo } from './logo-store.ts'

const DIGEST = /^[\w-]{43}$/

const keptLogo = endpoint({
  method: 'GET',
  path: '/organisations/{organisation}/logos/{digest}',
  operationId: 'getKeptLogo',
  replies: { 200: { types: { 'image/png': null, 'image/jpeg': null, 'image/svg+xml': null } } },
  summary:
    'Returns the logo that the server keeps for an organisation. The address names the content, which never changes.',
  tag: 'Pages',
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform, params }) => {
    const tenant = await getTenant(platform, params.organisation)
    const { digest } = params
    const image = DIGEST.test(digest) ? await platform.store.single(tenant.id, (tx) => findLogo(tx, digest)) : null
    if (image === null) throw new Fault('resource.unknown')
    // Wallets in browsers show it on pages of their own.
    const headers = {
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': PICTURE_POLICY,
      'x-content-type-options': 'nosniff',
    }
    return { status: 200, type: image.mediaType, body: Buffer.from(image.bytes), headers }
  },
})

/** What an organisation shows of itself to anybody. */
export const tenantEndpoints: readonly Endpoint[] = [keptLogo]
