import { clients } from '../../contract/directory/clients.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceHeader } from '../../pages/once.ts'
import { buttonLink, facts, rows } from '../../pages/parts.ts'
import { badge, pager, table } from '../../pages/table.ts'
import { confirmScreen, removeScreen } from '../frame/confirm.ts'
import { overlapField, overlapIn } from '../frame/overlap.ts'
import { type Frame, listOf, screen } from '../frame/screen.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { type Application, at, crumbs, LIST, place, read, secretTold } from './application.ts'
import { applicationForms } from './form-screens.ts'
import { type ApplicationTexts, applicationTexts } from './texts.ts'

const list = screen({
  place,
  path: LIST,
  summary: 'Lists the applications of the organisation.',
  download: () => listOf(clients.list),
  show: async (frame) => {
    const { api, query, language, texts, t: common } = frame
    const t = applicationTexts[language]
    const { data, links, meta } = await api.call(clients.list, { query: countedPageOf(query) })
    const columns = [
      {
        heading: t.name,
        cell: (one: Application) =>
          html`<a href="${at(one)}">${foreign(one.name ?? one.clientId)}</a>${one.name !== null && html`<br><code>${one.clientId}</code>`}`,
      },
      { heading: t.roles, cell: (one: Application) => rightsOf(one, frame) || common.none },
      { heading: t.state, cell: (one: Application) => stateOf(one, t) },
      {
        heading: t.used,
        cell: (one: Application) => (one.lastUsedAt === null ? t.never : when(frame, one.lastUsedAt)),
      },
    ]
    const shown = data.length === 0 ? html`<div class="empty"><p>${t.empty}</p></div>` : table(t.title, columns, data)
    const actions = html`<div class="buttons">${buttonLink(t.new, `${LIST}/new`, 'main')}</div>`
    return {
      title: t.title,
      main: html`${totalLine(frame, meta, t.counted)}${shown}${pager(texts, links, frame.here)}`,
      actions,
      isEmpty: data.length === 0,
    }
  },
})

function rightsOf({ roles: names, scopes }: Application, { texts }: Frame): string {
  return [...names.map((one) => texts.roles[one]), ...scopes].join(', ')
}

function stateOf({ disabled }: Application, t: ApplicationTexts): Html {
  return disabled ? badge(t.disabled, 'warn') : badge(t.enabled, 'ok')
}

const one = screen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows an application.',
  show: async (frame) => {
    const { language, t: common } = frame
    const t = applicationTexts[language]
    const found = await read(frame)
    const known = facts([
      [t.id, html`<code>${found.clientId}</code>`],
      [t.kind, t.kinds[found.isPublic ? 'app' : 'service']],
      [t.roles, rightsOf(found, frame) || common.none],
      [t.redirects, found.redirectUris.join(' ') || common.none],
      [t.state, stateOf(found, t)],
      [t.used, found.lastUsedAt === null ? t.never : when(frame, found.lastUsedAt)],
      [t.created, when(frame, found.createdAt)],
    ])
    return {
      title: found.name ?? found.clientId,
      crumbs: [[t.title, LIST], [found.name ?? found.clientId]],
      main: html`<section class="panel narrow">${known}</section>${secretsPanel(frame, found)}${keysPanel(found, t)}<div class="actions">${buttonLink(t.change, at(found, 'change'))}${!found.isPublic && buttonLink(t.rotate, at(found, 'secret'))}${buttonLink(t.remove, at(found, 'delete'))}</div>`,
    }
  },
})

/** The secrets that are valid, each with what ends it at once. */
function secretsPanel(frame: Frame, found: Application): Html | null {
  const t = applicationTexts[frame.language]
  if (found.secrets.length === 0) return null
  const items = found.secrets.map(({ id, origin, createdAt, endsAt }) => ({
    title: html`${origin === 'file' ? t.file : t.made}${frame.t.colon}${when(frame, createdAt)}`,
    about: endsAt === null ? t.noEnd : html`${t.ends} ${when(frame, endsAt)}`,
    action: buttonLink(t.endSecret, at(found, `secrets/${id}/end`)),
  }))
  return html`<section class="panel narrow"><header><h2>${t.secrets}</h2></header>${rows(t.secrets, items)}</section>`
}

/** Keys in place of secrets: those that were registered, or where the application publishes them. */
function keysPanel({ jwks, jwksUri }: Application, t: ApplicationTexts): Html | null {
  const keys = (jwks?.keys ?? []).map(
    ({ kid, kty = '', crv, alg }) =>
      [typeof kid === 'string' ? foreign(kid) : t.noKid, [crv ?? kty, alg].filter(Boolean).join(', ')] as const,
  )
  const address = jwksUri === null ? [] : [[t.keysAt, foreign(jwksUri, 500)] as const]
  if (keys.length + address.length === 0) return null
  const list = [...keys, ...address].map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)
  return html`<section class="panel narrow"><header><h2>${t.keys}</h2></header><dl class="facts">${list}</dl></section>`
}

const rotate = confirmScreen({
  place,
  path: `${LIST}/{id}/secret`,
  summary: 'Makes a new secret of an application.',
  ask: async (frame) => {
    const t = applicationTexts[frame.language]
    const found = await read(frame)
    return {
      title: t.rotateTitle,
      text: t.rotateText,
      button: t.rotate,
      look: 'main',
      crumbs: crumbs(found, t, t.rotate),
      back: at(found),
      fields: overlapField(frame),
    }
  },
  act: async (frame) => {
    const sent = { body: overlapIn(frame.fields), headers: onceHeader(frame.fields) }
    const { data } = await frame.api.call(clients.rotateSecret, { params: { clientId: frame.params.id }, ...sent })
    return secretTold(frame, data.clientId, data.clientSecret)
  },
})

const endSecret = confirmScreen({
  place,
  path: `${LIST}/{id}/secrets/{secret}/end`,
  summary: 'Asks whether to end a secret at once, and does it.',
  ask: async (frame) => {
    const t = applicationTexts[frame.language]
    const found = await read(frame)
    return {
      title: t.endTitle,
      text: t.endText,
      button: t.endSecret,
      look: 'danger',
      crumbs: crumbs(found, t, t.endSecret),
      back: at(found),
    }
  },
  act: async ({ api, params }) => {
    await api.call(clients.endSecret, { params: { clientId: params.id, id: params.secret } })
    return { to: at({ clientId: params.id }) }
  },
})

const remove = removeScreen({
  place,
  list: LIST,
  operation: clients.delete,
  texts: applicationTexts,
  summary: 'Asks whether to delete an application, and does it.',
  nameOf: async (frame) => {
    const { name, clientId } = await read(frame)
    return name ?? clientId
  },
})

/** Applications of the organisation. */
export const applicationScreens: readonly Endpoint[] = [
  ...list,
  ...applicationForms,
  ...one,
  ...rotate,
  ...endSecret,
  ...remove,
]
