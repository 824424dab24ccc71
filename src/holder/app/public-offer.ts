import type { Endpoint } from '../../http/routes/endpoint.ts'
import { html } from '../../pages/html.ts'
import { languageOf } from '../../pages/language.ts'
import { pageEndpoint } from '../../pages/page-endpoint.ts'
import { buttonLink, card, cut, outcome } from '../../pages/parts.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { readOfferState } from '../../protocols/openid4vci/credential-offer.ts'
import { ownOffer } from '../offers/read-link.ts'
import { endedWords } from '../offers/refusals.ts'
import { offerTexts } from '../offers/texts.ts'
import { inThisWallet } from './new-wallet.ts'
import { askPublic, faceLook, faceName, readFace } from './organisation-face.ts'

const NAME_CHARS = 100

/**
 * The https link of an offer: for people who are not signed in, on a device that may have another wallet. It shows
 * nothing personal.
 */
export const publicOffer: Endpoint = pageEndpoint({
  method: 'GET',
  path: '/offer/{tenant}/{token}',
  summary: 'Shows an offer: take it here, open another wallet, or scan it with another device.',
  handle: async (context) => {
    const { params, platform } = context
    const isWhole = /^[\w-]{1,64}$/.test(params.tenant) && /^[\w-]{43}$/.test(params.token)
    const face = isWhole ? await readFace(context, params.tenant) : null
    const language = languageOf({ url: context.here, headers: context.headers }, face?.languages)
    const t = offerTexts[language]
    const look = face === null ? {} : faceLook(face, language)
    const link = ownOffer(platform.urls.publicUrl, params.tenant, params.token)
    const here = `/open?${new URLSearchParams({ u: link })}`
    const offer =
      face === null ? null : await askPublic(context, `/issuers/${params.tenant}/offers/${params.token}`, { language })
    const state = offer === null ? 'unknown' : readOfferState(offer)
    if (face === null || state !== null) {
      const { title, advice, status } = endedWords(t, {
        state: state ?? 'unknown',
        issuer: face === null ? null : faceName(face),
      })
      // Whether the person took it, only their wallet knows.
      const way = state === 'taken' ? buttonLink(t.mine, here) : buttonLink(t.back, '/me')
      const main = html`${outcome('bad', advice)}<p class="buttons">${way}</p>`
      return { status, page: { ...look, title, main, hasErrors: true } }
    }
    const app = ownOffer(platform.urls.publicUrl, params.tenant, params.token, offer?.headers['offer-scheme'])
    const { searchParams, protocol } = new URL(app)
    searchParams.set('scheme', protocol.slice(0, -1))
    const inAnother = html`<p>${t.appHint}</p>
    <p class="buttons">${buttonLink(t.app, app)}</p>
    ${cut()}
    <h2>${t.device}</h2>
    <p>${t.deviceHint}</p>
    <img class="qr" src="/issuers/${params.tenant}/offers/${params.token}/page-qr"
      alt="${t.pageQr}" width="320" height="320">
    <details>
      <summary>${t.appCode}</summary>
      <p>${t.appCodeHint}</p>
      <img class="qr" src="/issuers/${params.tenant}/offer-qr?${searchParams.toString()}"
        alt="${t.qr}" width="320" height="320">
    </details>`
    const name = foreignText(decodeURIComponent(String(offer?.headers['offer-credential'] ?? '')), NAME_CHARS)
    const main = html`${name !== null && html`<p class="lead">${name}</p>`}
      ${card(inThisWallet(context, t, { face, here, offer: offer?.body }))}${card(inAnother)}`
    return {
      page: {
        ...look,
        title: t.pageTitle(faceName(face)),
        main,
      },
    }
  },
})
