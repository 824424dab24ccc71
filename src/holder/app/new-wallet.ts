import { isJsonObject, memberOf, parseJsonObject, readOwnJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { readCookie, SESSION_COOKIE } from '../../pages/cookies.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { languageOf } from '../../pages/language.ts'
import { type PageContext, pageEndpoint } from '../../pages/page-endpoint.ts'
import { button, buttonLink, outcome } from '../../pages/parts.ts'
import { PRE_AUTHORIZED_GRANT } from '../../protocols/openid4vci/credential-offer.ts'
import { ownOffer } from '../offers/read-link.ts'
import { type OfferTexts, offerTexts } from '../offers/texts.ts'
import { askPublic, faceLook, faceName, type OrganisationFace, readFace } from './organisation-face.ts'

/** What the endpoint promises. */
type OfferedWallet = { readonly username: string; readonly url?: string }

/** An offer as its public page knows it: of whom, its body, and where a person takes it who has a wallet here. */
type Shown = { readonly face: OrganisationFace; readonly offer: Uint8Array | undefined; readonly here: string }

/**
 * Returns how the credential is taken into a wallet of this organisation. Of the two ways, that for people without a
 * wallet is the main one: those who have one know it.
 */
export function inThisWallet(
  context: PageContext<{ readonly tenant: string; readonly token: string }>,
  t: OfferTexts,
  { face, offer, here }: Shown,
): Html {
  // Whose browser is signed in has a wallet, and needs no second one.
  const isSignedIn = readCookie(context.platform, SESSION_COOKIE, context.headers.cookie) !== null
  if (isSignedIn || !face.makesWallets || !isForAnybody(offer))
    return html`<p>${t.hereHint}</p>
      <p class="buttons"><a class="button main" href="${here}">${t.here}</a></p>`
  const { tenant, token } = context.params
  const make = html`<p class="buttons">${button(t.newWallet, { look: 'main' })}</p>`
  return html`<p>${t.newWalletHint(faceName(face))}</p>
    ${form(context, `/offer/${tenant}/${token}`, make)}
    <p class="buttons">${buttonLink(t.signInHere, here)}</p>`
}

/** Whether whoever holds the link may take the credential; else it is for a user who signs in. */
function isForAnybody(offer: Uint8Array | undefined): boolean {
  const { grants } = offer === undefined ? {} : parseJsonObject(offer)
  return isJsonObject(grants) && memberOf(grants, PRE_AUTHORIZED_GRANT) !== undefined
}

/**
 * Makes a wallet for a person who has none, and leads to the choice of a password or a passkey, then to the offer. A
 * second press leads there again, until the choice was made.
 */
export const newWallet: Endpoint = pageEndpoint({
  method: 'POST',
  path: '/offer/{tenant}/{token}',
  summary: 'Makes a wallet for a person who was offered a credential.',
  handle: async (context) => {
    const { tenant, token } = context.params
    const isWhole = /^[\w-]{1,64}$/.test(tenant) && /^[\w-]{43}$/.test(token)
    const face = isWhole ? await readFace(context, tenant) : null
    if (face === null) throw new Fault('resource.unknown')
    const { status, body } = await askPublic(context, `/issuers/${tenant}/offers/${token}/wallet`, { method: 'POST' })
    // The page of the offer says what has become of it.
    if (status !== 200) return { to: `/offer/${tenant}/${token}` }
    const { url, username } = readOwnJson(body) as OfferedWallet
    if (url !== undefined) {
      const { pathname, searchParams } = new URL(url)
      searchParams.set('offer', `${tenant}/${token}`)
      return { to: `${pathname}?${searchParams}` }
    }
    const language = languageOf({ url: context.here, headers: context.headers }, face.languages)
    const t = offerTexts[language]
    const here = `/open?${new URLSearchParams({ u: ownOffer(context.platform.urls.publicUrl, tenant, token) })}`
    const main = html`${outcome('note', t.madeAdvice(username, faceName(face)))}
    <p class="buttons">${buttonLink(t.signInHere, here)}</p>`
    return { page: { ...faceLook(face, language), title: t.madeBefore, main } }
  },
})
