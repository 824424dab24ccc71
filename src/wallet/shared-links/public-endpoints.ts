import { SharedPresentation } from '../../contract/wallet/card-links.ts'
import { type Endpoint, endpoint } from '../../http/routes/endpoint.ts'
import { openSharedLink } from './open-link.ts'

const readShared = endpoint({
  method: 'GET',
  path: '/shared/{secret}/presentation.json',
  operationId: 'getSharedPresentation',
  replies: { 200: { types: { 'application/json': SharedPresentation } } },
  summary:
    'Returns what a link shares: a presentation that anybody can verify, with its audience and nonce. It counts as a view, unless `Sec-Purpose` or `Purpose` says that nobody looks.',
  tag: 'Shared links',
  accepts: 'none',
  handle: async ({ platform, params, headers, method, ip }) => {
    const isView = method !== 'HEAD' && ![headers['sec-purpose'], headers.purpose].some(isPreview)
    const body = await openSharedLink(platform, params.secret, { ip, isView, language: headers['accept-language'] })
    return {
      status: 200,
      body,
      headers: {
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'content-disposition': 'attachment; filename="presentation.json"',
      },
    }
  },
})

/** Browsers and programs that load a page before somebody looks at it. */
function isPreview(header: string | readonly string[] | undefined): boolean {
  return /prefetch|prerender|preview/i.test(String(header ?? ''))
}

/** What whoever has a link calls. */
export const sharedLinkEndpoints: readonly Endpoint[] = [readShared]
