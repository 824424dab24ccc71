import type { Language } from '../../contract/languages.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { type AskedInWords, askedList } from '../../pages/claims/asked.ts'
import { type Html, html } from '../../pages/html.ts'
import { languageOf } from '../../pages/language.ts'
import { moment } from '../../pages/moment-text.ts'
import { pageEndpoint } from '../../pages/page-endpoint.ts'
import { buttonLink, card, cut, outcome } from '../../pages/parts.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { endedRequestWords } from '../offers/refusals.ts'
import { offerTexts } from '../offers/texts.ts'
import { faceLook, faceName, readFace, readPublic } from './organisation-face.ts'
import { publicRequestTexts } from './public-request-texts.ts'

/** What the holder of a link may know of a request, as the API says it. */
type OwnRequest = {
  readonly end: 'answered' | 'canceled' | 'expired' | null
  readonly asks: readonly AskedInWords[]
  readonly purpose: string | null
  readonly expiresAt: string
  readonly authorizationRequestUri: string
  readonly authorizationRequestReferenceUri?: string
  readonly authorizationRequestQrUri: string
}

/**
 * The https link of a request: for people who are not signed in, on a device that may have another wallet. It shows
 * nothing personal.
 */
export const publicRequest: Endpoint = pageEndpoint({
  method: 'GET',
  path: '/request/{tenant}/{token}',
  summary: 'Shows a presentation request: answer it here, open another wallet, or scan it with another device.',
  handle: async (context) => {
    const { params } = context
    const face = await readFace(context, params.tenant)
    const language = languageOf({ url: context.here, headers: context.headers }, face?.languages)
    const look = face === null ? {} : faceLook(face, language)
    const isWhole = face !== null && /^[\w-]{43}$/.test(params.token)
    const path = `/verifiers/${params.tenant}/requests/${params.token}/about`
    // The shape that the endpoint promises.
    const request = isWhole ? ((await readPublic(context, path, language)) as OwnRequest | null) : null
    if (face === null || request === null || request.end !== null) {
      const t = offerTexts[language]
      const { title, advice, status } = endedRequestWords(t, request?.end ?? 'noRequest')
      // Whether the person answered it, only their wallet knows.
      const way = request?.end === 'answered' ? buttonLink(t.mine, openingOf(request)) : buttonLink(t.back, '/me')
      const main = html`${outcome('bad', advice)}<p class="buttons">${way}</p>`
      return { status, page: { ...look, title, main, hasErrors: true } }
    }
    const title = publicRequestTexts[language].title(faceName(face))
    return { page: { ...look, title, main: content(request, language) } }
  },
})

/**
 * The address that opens a request in the wallet of this server: by reference, which a sign-in keeps also where the
 * request is long.
 */
function openingOf({ authorizationRequestUri, authorizationRequestReferenceUri: reference }: OwnRequest): string {
  return `/open?${new URLSearchParams({ u: reference ?? authorizationRequestUri })}`
}

function content(request: OwnRequest, language: Language): Html {
  const { asks, purpose, expiresAt, authorizationRequestUri, authorizationRequestQrUri } = request
  const t = { ...offerTexts[language], ...publicRequestTexts[language] }
  const why = foreignText(purpose, 300)
  const { pathname, search } = new URL(authorizationRequestQrUri)
  const asked = html`<h2>${t.asks}</h2>
  ${askedList(asks)}
  ${why !== null && html`<p>${t.why} ${why}</p>`}
  <p class="hint">${t.choice} ${t.expires} ${moment(expiresAt, language)}.</p>`
  const inThisWallet = html`<p>${t.hereHint}</p>
  <p class="buttons"><a class="button main" href="${openingOf(request)}">${t.here}</a></p>`
  const inAnother = html`<p>${t.appHint}</p>
  <p class="buttons">${buttonLink(t.app, authorizationRequestUri)}</p>
  ${cut()}
  <h2>${t.device}</h2>
  <p>${t.walletHint}</p>
  <img class="qr" src="${pathname + search}" alt="${t.qr}" width="320" height="320">`
  return html`${card(asked)}${card(inThisWallet)}${card(inAnother)}`
}
