import { isJsonObject, type JsonObject, parseJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { html } from '../../pages/html.ts'
import { type PageContext, pageEndpoint } from '../../pages/page-endpoint.ts'
import { buttonLink, card, cut, message } from '../../pages/parts.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { readOfferState } from '../../protocols/openid4vci/credential-offer.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { ownOffer } from '../offers/read-link.ts'
import { endedWords } from '../offers/refusals.ts'
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
    const metadata = isWhole ? await read(context, metadataOf(params.tenant)) : null
    const name = metadata?.status === 200 ? nameIn(parseJsonObject(metadata.body)) : null
    const link = ownOffer(platform.urls.publicUrl, params.tenant, params.token)
    const here = `/open?${new URLSearchParams({ u: link })}`
    const isKnown = metadata?.status === 200
    const offer = isKnown ? await read(context, `/issuers/${params.tenant}/offers/${params.token}`) : null
    const state = offer === null ? 'unknown' : readOfferState(offer)
    if (state !== null) {
      const { title, advice, status } = endedWords(t, { state, issuer: name ?? (isKnown ? params.tenant : null) })
      // Whether the person took it, only their wallet knows.
      const look = state === 'taken' ? buttonLink(t.mine, here) : buttonLink(t.back, '/me')
      const main = html`${message('bad', advice)}<p class="buttons">${look}</p>`
      return { status, page: { title, main, hasErrors: true, ...(name !== null && { organisation: name }) } }
    }
    const uri = new URLSearchParams({
      credential_offer_uri: `${platform.urls.publicUrl}/issuers/${params.tenant}/offers/${params.token}`,
    })
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

/** Returns the answer of a public address of this server. @throws Fault where it cannot answer now */
async function read({ platform, ip }: PageContext, path: string) {
  const headers = { host: new URL(platform.urls.publicUrl).host, accept: 'application/json' }
  const work = platform.dispatch({ method: 'GET', path, headers, ip })
  const answer = await withTimeLimit(work, MS_MAX, () => new Fault('upstream.timeout'))
  const { status } = answer
  if (status >= 500 || status === 429) throw new Fault(status === 429 ? 'request.rate_limited' : 'database.unavailable')
  return answer
}
