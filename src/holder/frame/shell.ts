import type { Shell } from '../../pages/document.ts'
import { html } from '../../pages/html.ts'
import { appColour } from '../../pages/look/accent.ts'
import type { SignedInContext } from '../../pages/session/signed-in-endpoint.ts'
import { holderTexts } from './texts.ts'

/** An entry of the menu. */
export type MenuPlace = 'cards' | 'scan' | 'history' | 'settings'

const entries: readonly (readonly [MenuPlace, string])[] = [
  ['cards', '/me'],
  ['scan', '/me/scan'],
  ['history', '/me/history'],
  ['settings', '/me/settings'],
]

/** Returns what surrounds a page of the holder. */
export function shellOf({ language, me }: Pick<SignedInContext, 'language' | 'me'>, place: MenuPlace | null): Shell {
  const t = holderTexts[language]
  const items = entries.map(
    ([name, href]) =>
      html`<li><a href="${href}"${name === place && html` aria-current="page"`}>${t.menu[name]}</a></li>`,
  )
  return {
    surface: 'holder',
    app: appOf(me.organisation),
    header: html`<b>${t.wallet(me.organisation.name)}</b>`,
    menu: html`<nav id="menu" aria-label="${t.menu.label}"><ul>${items}</ul></nav>`,
  }
}

/** Returns the manifest and the colour of the installed wallet of an organisation. */
function appOf({ slug, accentColor }: SignedInContext['me']['organisation']): NonNullable<Shell['app']> {
  const manifest = `/me/manifest.webmanifest?${String(new URLSearchParams({ organisation: slug }))}`
  return { manifest, colour: appColour(accentColor) }
}
