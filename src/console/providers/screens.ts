import { identityProviders } from '../../contract/directory/identity-providers.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign, shownText } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink, facts } from '../../pages/parts.ts'
import { pager, table } from '../../pages/table.ts'
import { removeScreen } from '../frame/confirm.ts'
import { emptyList } from '../frame/empty-list.ts'
import { type Frame, listOf, screen } from '../frame/screen.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { providerForms } from './form-screens.ts'
import { at, LIST, type Provider, place, read } from './provider.ts'
import { type ProviderTexts, providerTexts } from './texts.ts'

const list = screen({
  place,
  path: LIST,
  summary: 'Lists the sign-in providers of the organisation.',
  download: () => listOf(identityProviders.list),
  show: async (frame) => {
    const t = providerTexts[frame.language]
    const { data, links, meta } = await frame.api.call(identityProviders.list, { query: countedPageOf(frame.query) })
    const columns = [
      { heading: t.displayName, cell: (one: Provider) => html`<a href="${at(one)}">${foreign(one.displayName)}</a>` },
      { heading: t.issuer, cell: (one: Provider) => foreign(one.issuer) },
      { heading: t.state, cell: (one: Provider) => usesOf(one, t) },
      { heading: t.changed, cell: (one: Provider) => when(frame, one.updatedAt) },
    ]
    const way = buttonLink(t.new, `${LIST}/new`)
    // A page behind the last row has none either.
    const isFiltered = frame.query.after !== undefined || frame.query.before !== undefined
    const none = emptyList(frame, { isFiltered, fits: t.empty, empty: t.empty, way })
    return {
      title: t.title,
      main: html`<p class="lead">${t.lead}</p>${totalLine(frame, meta, t.counted)}${data.length === 0 ? none : table(t.title, columns, data)}${pager(frame.texts, links, frame.here)}`,
      actions: html`<div class="buttons">${buttonLink(t.new, `${LIST}/new`, 'main')}</div>`,
      isEmpty: data.length === 0,
    }
  },
})

function usesOf({ signIn, acceptTokens }: Provider, t: ProviderTexts): string {
  return [signIn && t.uses.signIn, acceptTokens && t.uses.tokens].filter(Boolean).join(', ') || t.unused
}

const one = screen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows a sign-in provider, and the redirect address to register there.',
  show: async (frame) => {
    const t = providerTexts[frame.language]
    const { found } = await read(frame)
    const name = shownText(found.displayName)
    const register = html`<section class="panel narrow"><header><h2>${t.registerTitle}</h2></header><div class="inside"><p>${t.registerText}</p>${copied(frame, found.redirectUri)}</div></section>`
    return {
      title: name,
      crumbs: [[t.title, LIST], [name]],
      main: html`${register}${tryPanel(frame, found)}<section class="panel narrow">${known(frame, found)}</section>${rolesPanel(frame, found)}<div class="actions">${buttonLink(t.change, at(found, 'change'))}${buttonLink(t.remove, at(found, 'delete'))}</div>`,
      modules: ['copy-text'],
    }
  },
})

function copied({ texts }: Frame, text: string): Html {
  return html`<copy-text label="${texts.copy}" done="${texts.copied}"><code class="secret">${text}</code></copy-text>`
}

/** In another window: the person who is signed in here would be signed out. */
function tryPanel(frame: Frame, { signIn }: Provider): Html {
  const t = providerTexts[frame.language]
  const address = `${frame.origin}/sign-in?tenant=${encodeURIComponent(frame.me.organisation.slug)}`
  const way = signIn ? html`<p>${t.tryText}</p>${copied(frame, address)}` : html`<p>${t.tryAway}</p>`
  return html`<section class="panel narrow"><header><h2>${t.tryTitle}</h2></header><div class="inside">${way}</div></section>`
}

function known(frame: Frame, found: Provider): Html {
  const t = providerTexts[frame.language]
  const { claims } = found
  const orNone = (text: string | null | undefined) =>
    text == null ? frame.t.none : html`<code>${foreign(text)}</code>`
  return facts([
    [t.name, html`<code>${found.name}</code>`],
    [t.issuer, foreign(found.issuer, 2000)],
    [t.clientId, html`<code>${foreign(found.clientId, 500)}</code>`],
    [t.secret, found.hasClientSecret ? t.hasSecret : t.hasNone],
    [t.state, usesOf(found, t)],
    [t.creates, found.createsUsers ? frame.texts.yes : frame.texts.no],
    [t.namesPeople, found.namesPeople ? frame.texts.yes : t.namesNobody],
    [t.scopes, html`<code>${foreign(found.scopes.join(' '), 500)}</code>`],
    [t.username, orNone(claims.username)],
    [t.email, orNone(claims.email)],
    [t.externalId, orNone(claims.externalIdentifier)],
    ...(found.audience === null ? [] : [[t.audience, html`<code>${foreign(found.audience, 500)}</code>`] as const]),
    [t.changed, when(frame, found.updatedAt)],
  ])
}

/** Which roles the provider gives, and where it names them. */
function rolesPanel(frame: Frame, { claims, roles }: Provider): Html | null {
  const t = providerTexts[frame.language]
  const given = Object.entries(roles).map(([there, here]) => {
    const names = here.map((one) => frame.texts.roles[one]).join(', ')
    return [html`${foreign(there)}`, names || t.noRole] as const
  })
  if (claims.roles === null && given.length === 0) return null
  const lines = [[t.rolesClaim, html`<code>${foreign(claims.roles ?? '')}</code>`] as const, ...given]
  const shown = lines.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)
  return html`<section class="panel narrow"><header><h2>${t.roles}</h2></header><dl class="facts">${shown}</dl></section>`
}

const remove = removeScreen({
  place,
  list: LIST,
  operation: identityProviders.delete,
  texts: providerTexts,
  summary: 'Asks whether to delete a sign-in provider, and does it.',
  nameOf: async (frame) => shownText((await read(frame)).found.displayName),
})

/** Sign-in providers of the organisation. */
export const providerScreens: readonly Endpoint[] = [...list, ...providerForms, ...one, ...remove]
