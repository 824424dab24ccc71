import { Fault } from '../fault.ts'
import { type Endpoint, endpoint } from '../http/routes/endpoint.ts'
import { assetAt, coded } from './assets.ts'

const assetEndpoint = endpoint({
  method: 'GET',
  path: '/assets/{file}',
  summary: 'Returns a style sheet or browser module of the pages.',
  tag: 'Pages',
  hidden: true,
  accepts: 'none',
  handle: async ({ params, headers }) => {
    const found = assetAt(params.file)
    if (found === null) throw new Fault('resource.unknown')
    const common = {
      // The address contains the digest of the content.
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
    }
    const { body, headers: ofCoding } = await coded(found, headers['accept-encoding'])
    return { status: 200, type: found.type, body, headers: { ...common, ...ofCoding } }
  },
})

/** What pages load. */
export const assetEndpoints: readonly Endpoint[] = [assetEndpoint]
