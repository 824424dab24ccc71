import { Fault } from '../fault.ts'
import { type Endpoint, endpoint } from '../http/routes/endpoint.ts'
import { assets } from './assets.ts'

const assetEndpoint = endpoint({
  method: 'GET',
  path: '/assets/{file}',
  summary: 'Returns a style sheet or browser module of the pages.',
  tag: 'Pages',
  hidden: true,
  accepts: 'none',
  handle: ({ params, headers }) => {
    const found = assets().byName.get(params.file)
    if (found === undefined) throw new Fault('resource.unknown')
    const common = {
      // The address contains the digest of the content.
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept-encoding',
    }
    const takesBrotli = /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(headers['accept-encoding'] ?? ''))
    if (!takesBrotli) return { status: 200, type: found.type, body: found.text, headers: common }
    return { status: 200, type: found.type, body: found.brotli, headers: { ...common, 'content-encoding': 'br' } }
  },
})

/** What pages load. */
export const assetEndpoints: readonly Endpoint[] = [assetEndpoint]
