import type { ReplyOf } from '../../contract/api-operation.ts'
import { clients } from '../../contract/directory/clients.ts'
import { scimTokens } from '../../contract/directory/scim-tokens.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign, shownText } from '../../pages/foreign-text.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader } from '../../pages/once.ts'
import { button, buttonLink, card, facts, message } from '../../pages/parts.ts'
import { badge, pager, table } from '../../pages/table.ts'
import { at as applicationAt } from '../applications/application.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { emptyList } from '../frame/empty-list.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type Frame, formScreen, listOf, type Screen, screen } from '../frame/screen.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { provisioningTexts } from './texts.ts'
import { type Applications, checkToken, nameOf, refusedToken, tokenBody, tokenFields } from './token-form.ts'

const LIST = '/console/directory-sync'
const place = 'provisioning'

/** A token, as the API shows it. */
type Token = ReplyOf<typeof scimTokens.get>
type CreatedToken = ReplyOf<typeof scimTokens.create>

async function readApplications({ api }: Frame): Promise<Applications> {
  const { data, links } = await api.call(clients.list, { query: { 'page[size]': '100' } })
  return { all: data, hasMore: links.next !== undefined }
}

const list = screen({
  place,
  path: LIST,
  summary: 'Shows the address for identity systems, and lists their tokens.',
  download: () => listOf(scimTokens.list),
  show: async (frame) => {
    const t = provisioningTexts[frame.language]
    const [{ data, links, meta }, applications] = await Promise.all([
      frame.api.call(scimTokens.list, { query: countedPageOf(frame.query) }),
      readApplications(frame),
    ])
    const isFiltered = frame.query.after !== undefined || frame.query.before !== undefined
    const way = buttonLink(t.new, `${LIST}/new`)
    const none = emptyList(frame, { isFiltered, fits: t.empty, empty: t.empty, way })
    const shown = data.length === 0 ? none : table(t.tokens, columnsOf(frame, applications), data)
    const address = html`<section class="panel narrow"><header><h2>${t.addressTitle}</h2></header><div class="inside"><p>${t.addressText}</p>${copied(frame, addressOf(frame))}</div></section>`
    return {
      title: t.title,
      main: html`<p class="lead">${t.lead}</p>${address}${totalLine(frame, meta, t.counted)}${shown}${pager(frame.texts, links, frame.here)}`,
      actions: html`<div class="buttons">${buttonLink(t.new, `${LIST}/new`, 'main')}</div>`,
      isEmpty: data.length === 0,
      modules: ['copy-text'],
    }
  },
})

function columnsOf(frame: Frame, { all }: Applications) {
  const t = provisioningTexts[frame.language]
  const called = new Map(all.map((one) => [one.clientId, nameOf(one)]))
  return [
    { heading: t.name, cell: ({ name }: Token) => foreign(name) },
    {
      heading: t.application,
      cell: (one: Token) =>
        html`<a href="${applicationAt(one)}"><bdi>${called.get(one.clientId) ?? shownText(one.clientId)}</bdi></a>`,
    },
    { heading: t.used, cell: (one: Token) => (one.lastUsedAt === null ? t.never : when(frame, one.lastUsedAt)) },
    { heading: t.ends, cell: (one: Token) => endOf(frame, one) },
    {
      heading: t.told,
      cell: ({ id, name }: Token) =>
        html`<a href="${LIST}/${id}/end" aria-label="${t.endOf(shownText(name, 80))}">${t.end}</a>`,
    },
  ]
}

function endOf(frame: Frame, { expiresAt }: Token): Html | string {
  const t = provisioningTexts[frame.language]
  if (expiresAt === null) return t.noEnd
  const isOver = Date.parse(expiresAt) <= frame.now.getTime()
  return html`${when(frame, expiresAt)} ${isOver && badge(t.ended, 'warn')}`
}

/** The address at which the server answers SCIM. */
function addressOf({ origin }: Frame): string {
  return `${origin}/onboarding/scim/v2`
}

function copied({ texts }: Frame, text: string): Html {
  return html`<copy-text label="${texts.copy}" done="${texts.copied}"><code class="secret">${text}</code></copy-text>`
}

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Makes a token for an identity system.',
  show: async (frame) => tokenForm(frame, await readApplications(frame), noProblems),
  send: async (frame) => {
    const problems = checkToken(frame)
    if (hasProblems(problems)) return tokenForm(frame, await readApplications(frame), problems)
    try {
      const sent = { body: tokenBody(frame), headers: onceHeader(frame.fields) }
      const { data } = await frame.api.call(scimTokens.create, sent)
      return tokenTold(frame, data)
    } catch (error) {
      const refused = refusedToken(error, frame)
      return tokenForm(frame, await readApplications(frame), refused)
    }
  },
})

function tokenForm(frame: Frame, applications: Applications, problems: Problems): Screen {
  const t = provisioningTexts[frame.language]
  const isPossible = applications.all.some(({ disabled }) => !disabled)
  const content = html`${onceField(frame.fields)}${card(tokenFields(frame, applications, problems))}<div class="buttons">${button(t.new, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  const first = html`<div class="empty"><p>${t.noApplication(frame.texts.roles['user-admin'])}</p><div class="buttons">${buttonLink(t.addApplication, '/console/applications/new')}</div></div>`
  return {
    title: t.new,
    crumbs: [[t.title, LIST], [t.new]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${isPossible ? form(frame, `${LIST}/new`, content) : first}</div>`,
    hasErrors: hasProblems(problems),
  }
}

/** The only page that has the token, with the address that belongs to it. */
function tokenTold(frame: Frame, { name, token }: CreatedToken): Screen {
  const t = provisioningTexts[frame.language]
  const told = html`${message('note', t.toldText)}${card(html`${facts([[t.name, foreign(name)]])}${copied(frame, token)}`)}${card(copied(frame, addressOf(frame)), t.addressTitle)}`
  return {
    title: t.told,
    crumbs: [[t.title, LIST], [t.told]],
    main: html`<div class="narrow stack">${told}<p>${buttonLink(frame.t.back, LIST)}</p></div>`,
    modules: ['copy-text'],
  }
}

const end = confirmScreen({
  place,
  path: `${LIST}/{id}/end`,
  summary: 'Asks whether to end a token, and does it.',
  ask: async (frame) => {
    const t = provisioningTexts[frame.language]
    const { data } = await frame.api.call(scimTokens.get, { params: { id: frame.params.id } })
    return {
      title: t.endTitle,
      text: `${shownText(data.name)}${frame.t.colon}${t.endText}`,
      button: t.end,
      look: 'danger',
      crumbs: [[t.title, LIST], [t.end]],
      back: LIST,
    }
  },
  act: async ({ api, params }) => {
    await api.call(scimTokens.delete, { params: { id: params.id } })
    return { to: LIST }
  },
})

/** Tokens by which identity systems keep the directory. */
export const provisioningScreens: readonly Endpoint[] = [...list, ...create, ...end]
