import type { Scope } from '../../caller.ts'
import { holds } from '../../caller.ts'
import type { Shell } from '../../pages/document.ts'
import { type Html, html } from '../../pages/html.ts'
import type { SignedInContext } from '../../pages/session/signed-in-endpoint.ts'
import { type ConsoleTexts, consoleTexts } from './texts.ts'

/** A place of the menu. */
export type MenuPlace = Exclude<keyof ConsoleTexts['menu'], 'label' | Heading>
type Heading = 'issue' | 'verify' | 'trust' | 'organisation'

type Entry = { readonly place: MenuPlace; readonly href: string; readonly scope: Scope | null }

/**
 * The menu: a heading, or null for the first part, and its entries with the scope that they need. The server decides
 * again.
 */
const parts: readonly (readonly [Heading | null, readonly Entry[]])[] = [
  [null, [{ place: 'home', href: '/console', scope: null }]],
  [
    'issue',
    [
      { place: 'credentials', href: '/console/credentials', scope: 'issuance:read' },
      { place: 'batches', href: '/console/batches', scope: 'issuance:read' },
      { place: 'templates', href: '/console/templates', scope: 'issuance:read' },
    ],
  ],
  [
    'verify',
    [
      { place: 'desk', href: '/console/verify', scope: 'verification:read' },
      { place: 'verifications', href: '/console/verifications', scope: 'verification:read' },
      { place: 'requests', href: '/console/requests', scope: 'verification:read' },
      { place: 'verificationPages', href: '/console/verification-pages', scope: 'verification:read' },
    ],
  ],
  [
    'trust',
    [
      { place: 'certificates', href: '/console/certificates', scope: 'trust:read' },
      { place: 'trusted', href: '/console/trusted', scope: 'trust:read' },
    ],
  ],
  [
    'organisation',
    [
      { place: 'people', href: '/console/people', scope: 'users:read' },
      { place: 'groups', href: '/console/groups', scope: 'users:read' },
      { place: 'providers', href: '/console/sign-in-providers', scope: 'tenant:admin' },
      { place: 'provisioning', href: '/console/directory-sync', scope: 'tenant:admin' },
      { place: 'applications', href: '/console/applications', scope: 'tenant:admin' },
      { place: 'webhooks', href: '/console/webhooks', scope: 'events:read' },
      { place: 'events', href: '/console/events', scope: 'events:read' },
      { place: 'audit', href: '/console/audit', scope: 'audit:read' },
      { place: 'figures', href: '/console/figures', scope: 'audit:read' },
      { place: 'settings', href: '/console/settings', scope: 'trust:read' },
    ],
  ],
]

/** A step of the way to a screen; without an address it is the screen itself. */
export type Crumb = readonly [text: string, href?: string]

/** Whether the person may do what a scope allows, so far as the page knows. */
export function may({ me }: Pick<SignedInContext, 'me'>, scope: Scope): boolean {
  return holds({ scopes: new Set(me.scopes) }, scope)
}

/** Returns what surrounds a screen of the console. */
export function shellOf(
  context: Omit<SignedInContext, 'own'>,
  place: MenuPlace,
  { crumbs = [], actions }: { readonly crumbs?: readonly Crumb[]; readonly actions?: Html | undefined } = {},
): Shell {
  const t = consoleTexts[context.language]
  const header = html`<b>Chirograph</b><b><bdi>${context.me.organisation.name}</bdi></b>
  <form class="finder" action="/console/search" role="search">
    <input type="search" name="q" maxlength="200" aria-label="${t.searchAll}" placeholder="${t.find}">
    <button class="button plain" type="submit">${t.search}</button>
  </form>
  <button class="button plain opens" type="button" popovertarget="menu">${context.texts.menu}</button>
  <nav aria-label="${t.account}">
    <a href="/account"><bdi>${context.me.name ?? t.account}</bdi></a>
    <a href="/session/end">${t.signOut}</a>
  </nav>`
  return {
    surface: 'console',
    header,
    menu: menuOf(context, t, place),
    above: above(t, crumbs),
    beside: actions ?? null,
  }
}

function menuOf(context: Omit<SignedInContext, 'own'>, t: ConsoleTexts, place: MenuPlace): Html {
  const lists = parts.map(([heading, entries]) => {
    const shown = entries.filter(({ scope }) => scope === null || may(context, scope))
    if (shown.length === 0) return html``
    const items = shown.map((one) => {
      const current = one.place === place && html` aria-current="page"`
      return html`<li><a href="${one.href}"${current}>${t.menu[one.place]}</a></li>`
    })
    return html`${heading !== null && html`<p>${t.menu[heading]}</p>`}<ul>${items}</ul>`
  })
  return html`<nav id="menu" popover aria-label="${t.menu.label}">${lists}</nav>`
}

function above(t: ConsoleTexts, crumbs: readonly Crumb[]): Html | null {
  if (crumbs.length === 0) return null
  const items = crumbs.map(([text, href]) =>
    href === undefined
      ? html`<span><bdi>${text}</bdi></span>`
      : html`<span><a href="${href}"><bdi>${text}</bdi></a></span>`,
  )
  return html`<nav class="crumbs" aria-label="${t.crumbs}">${items}</nav>`
}
