import type { Endpoint } from '../../http/routes/endpoint.ts'
import { html } from '../../pages/html.ts'
import { pageEndpoint } from '../../pages/page-endpoint.ts'
import { buttonLink, card } from '../../pages/parts.ts'
import { newcomerLinkFor } from '../../pages/session/newcomer-link.ts'
import { findPageSession } from '../../pages/session/page-session.ts'
import { homeTexts } from './texts.ts'

/** The first page: the doors of this server. A person who is signed in goes straight on. */
export const doors: Endpoint = pageEndpoint({
  method: 'GET',
  path: '/',
  summary: 'Shows the doors: the console, and the own account.',
  handle: async ({ platform, headers, ip, language }) => {
    const session = await findPageSession(platform, headers.cookie, ip)
    // Who has no role has the own cards only.
    if (session !== null) return { to: session.me.roles.some((role) => role !== 'holder') ? '/console' : '/me' }
    const t = homeTexts[language]
    const link = newcomerLinkFor(platform, ip)
    const first =
      link !== null && card(html`<p>${t.newcomer}</p><p class="buttons">${buttonLink(t.becomeOwner, link)}</p>`)
    const main = html`${first}
    <div class="doors">
      <a href="/console"><b>${t.console}</b><span>${t.consoleText}</span></a>
      <a href="/me"><b>${t.cards}</b><span>${t.cardsText}</span></a>
    </div>`
    return { page: { title: t.doors, main } }
  },
})
