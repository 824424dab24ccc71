import { isJsonObject, type JsonObject, parseJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { html } from '../../pages/html.ts'
import { type PageContext, pageEndpoint } from '../../pages/page-endpoint.ts'
import { buttonLink, card, cut, message } from '../../pages/parts.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { ownOffer } from '../offers/read-link.ts'
import { offerTexts } from '../offers/texts.ts'

const MS_MAX = 8000

/** The https link of an offer: for people who are not signed in, on a device that may have another wallet. It shows nothing personal. */
export const publicOffer: Endpoint = pageEndpoint({
  method: 'GET',
  path: '/offer/{tenant}/{token}',
  summary: 'Shows an offer: take it here, open another wallet, or scan it with another device.',
  handle: async (context) => {
    const { params, language, platform } = context
    const t = offerTexts[language]
    const isWhole = /^[\w-]{1,64}$/.test(params.tenant) && /^[\w-]{43}$/.test(params.token)
    const offer = isWhole ? await read(context, `/issuers/${params.tenant}/offers/${params.token}`) : null
    const metadata = isWhole ? await read(context, metadataOf(params.tenant)) : null
    if (offer === null || metadata === null) {
      const [title = '', advice = ''] = metadata === null ? t.malformed : t.ended
      // Whether the person took it, only their wallet knows.
      const main = html`${message('bad', advice)}<p>${buttonLink(t.back, '/me')}</p>`
      return { status: metadata === null ? 404 : 410, page: { title, main, hasErrors: true } }
    }
    const name = nameIn(metadata)
    const link = ownOffer(platform.urls.publicUrl, params.tenant, params.token)
    const uri = new URLSearchParams({
      credential_offer_uri: `${platform.urls.publicUrl}/issuers/${params.tenant}/offers/${params.token}`,
    })
    const here = `/open?${new URLSearchParams({ u: link })}`
    const main = html`${card(html`<p>${t.hereHint}</p><p class="buttons"><a class="button main" href="${here}">${t.here}</a></p>`)}
${card(html`<p>${t.appHint}</p><p class="buttons">${buttonLink(t.app, link)}</p>${cut()}<h2>${t.device}</h2><p>${t.deviceHint}</p><img class="qr" src="/issuers/${params.tenant}/offer-qr?${uri.toString()}" alt="${t.qr}" width="320" height="320">`)}`
    return {
      page: {
        title: t.pageTitle(name ?? params.tenant),
        main,
        ...(name !== null && { organisation: name }),
      },
    }
  },
})

const metadataOf = (tenant: string) => `/.well-known/openid-credential-issuer/issuers/${tenant}`

function nameIn({ display }: JsonObject): string | null {
  const [first] = Array.isArray(display) ? display : []
  return isJsonObject(first) ? foreignText(first.name, 100) : null
}

/** Returns what a public address of this server answers; null where it is refused. */
async function read({ platform, ip }: PageContext, path: string): Promise<JsonObject | null> {
  const headers = { host: new URL(platform.urls.publicUrl).host, accept: 'application/json' }
  const work = platform.dispatch({ method: 'GET', path, headers, ip })
  const { status, body } = await withTimeLimit(work, MS_MAX, () => new Fault('upstream.timeout'))
  if (status >= 500 || status === 429) throw new Fault(status === 429 ? 'request.rate_limited' : 'database.unavailable')
  return status === 200 ? parseJsonObject(body) : null
}
