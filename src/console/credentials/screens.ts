import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden, select } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { button, buttonLink, facts, message } from '../../pages/parts.ts'
import { pageOf, pager, table } from '../../pages/table.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import type { Template } from '../templates/template.ts'
import { type Issuance, stateOf, templateName } from './issuance.ts'
import { issueScreens } from './issue-screens.ts'
import { type CredentialTexts, credentialTexts } from './texts.ts'

const LIST = '/console/credentials'
const place = 'credentials'

const list = screen({
  ...{ place, path: LIST, summary: 'Lists who has what.' },
  show: async (frame) => {
    const { api, query, language, texts } = frame
    const t = credentialTexts[language]
    const filters = {
      'filter[templateId]': query.template,
      'filter[status]': query.status,
      'filter[reference]': query.reference?.trim(),
    }
    const [{ data, links }, templates] = await Promise.all([
      api.get<readonly Issuance[]>('/creds/credentials', { ...filters, ...pageOf(query) }),
      templatesOf(frame),
    ])
    const isFiltered = Object.values(filters).some(Boolean) || query.after !== undefined
    const issue = may(frame, 'issuance:write') && html`<a class="button main" href="/console/issue">${t.issue}</a>`
    const none = html`<div class="empty"><p>${isFiltered ? t.emptyFilter : t.empty}</p>${!isFiltered && issue}</div>`
    const main = html`${(isFiltered || data.length > 0) && filter(frame, t, templates)}${data.length === 0 ? none : rowsOf(frame, t, data, templates)}${pager(texts, links, frame.here)}`
    return { title: t.title, main, actions: html`<div class="buttons">${issue}</div>` }
  },
})

async function templatesOf({ api }: Frame): Promise<readonly Template[]> {
  return (await api.get<readonly Template[]>('/creds/templates/credentials', { 'page[size]': '100', sort: 'name' }))
    .data
}

function filter(frame: Frame, t: CredentialTexts, templates: readonly Template[]): Html {
  const { query, t: common } = frame
  const all = { value: '', text: common.all }
  const states = Object.entries(t.issuances).map(([value, text]) => ({ value, text }))
  const named = templates.map(({ id, name }) => ({ value: id, text: name }))
  return html`<form class="filter" method="get" action="${LIST}">${select(frame, { name: 'template', label: t.template, value: query.template ?? '', choices: [all, ...named] })}
${select(frame, { name: 'status', label: t.state, value: query.status ?? '', choices: [all, ...states] })}
<div class="field"><label for="reference">${t.reference}</label><input id="reference" name="reference" type="search" maxlength="200" value="${query.reference ?? ''}"></div>${button(common.filter)}</form>`
}

function rowsOf(
  { language, t: common }: Frame,
  t: CredentialTexts,
  issuances: readonly Issuance[],
  templates: readonly Template[],
): Html {
  return table(
    t.title,
    [
      { heading: t.template, cell: (one) => html`<a href="${LIST}/${one.id}">${templateName(one, templates)}</a>` },
      { heading: t.reference, cell: ({ reference }) => reference ?? common.none },
      { heading: t.state, cell: (one) => stateOf(one, t) },
      { heading: t.created, cell: ({ createdAt }) => moment(createdAt, language) },
    ],
    issuances,
  )
}

const one = screen({
  ...{ place, path: `${LIST}/{id}`, summary: 'Shows an issuance: its offer, and the state of its credential.' },
  show: async (frame) => {
    const t = credentialTexts[frame.language]
    const [{ data, etag }, templates] = await Promise.all([readIssuance(frame), templatesOf(frame)])
    const name = templateName(data, templates)
    const isOpen = data.status === 'offered'
    const live = html`<live-region src="${LIST}/${data.id}/state" state="${isOpen ? (etag ?? '') : ''}">${stateOfOne(frame, t, data)}</live-region>`
    return {
      title: name,
      crumbs: [[t.title, LIST], [data.reference ?? name]],
      main: html`${live}<section class="panel narrow"><header><h2>${t.one}</h2></header>${facts([
        [t.reference, data.reference ?? frame.t.none],
        [t.created, moment(data.createdAt, frame.language)],
        [t.ends, moment(data.expiresAt, frame.language)],
        [t.number, html`<code>${data.id}</code>`],
      ])}</section>`,
      modules: ['copy-text', 'fragments'],
    }
  },
})

const state = screen({
  ...{ place, path: `${LIST}/{id}/state`, summary: 'Returns the state of an issuance once it has changed.' },
  show: async (frame) => {
    const known = String(frame.headers['x-state'] ?? '')
    const { data, etag, status } = await readIssuance(frame, { 'if-none-match': known, prefer: 'wait=6' })
    if (status === 304) return { fragment: html``, status: 204 }
    const next = data.status === 'offered' ? (etag ?? '') : ''
    return { fragment: stateOfOne(frame, credentialTexts[frame.language], data), headers: { 'x-state': next } }
  },
})

function readIssuance({ api, params }: Frame<{ readonly id: string }>, headers: Readonly<Record<string, string>> = {}) {
  return api.get<Issuance>(`/creds/credentials/${encodeURIComponent(params.id)}`, {}, headers)
}

/** The part of the page that changes by itself. */
function stateOfOne(frame: Frame, t: CredentialTexts, issuance: Issuance): Html {
  const { status, error } = issuance
  const isOpen = status === 'offered' || status === 'partiallyIssued'
  const text = isOpen ? t.offerText : t.noOffer[status]
  return html`<div class="stack"><p role="status">${stateOf(issuance, t)} ${text}</p>${error !== null && message('bad', error.message)}
${isOpen && offer(frame, t, issuance)}${changesOf(frame, t, issuance)}</div>`
}

function offer({ texts, here }: Frame, t: CredentialTexts, { offerUri, offerQrUri }: Issuance): Html {
  return html`<div class="columns"><img class="qr" src="${pathIn(offerQrUri)}" alt="${t.qr}" width="352" height="352"><div class="stack"><p><b>${t.link}</b></p>
<copy-text label="${texts.copy}" done="${texts.copied}"><code class="secret">${offerUri}</code></copy-text><p><a href="${offerUri}">${t.openWallet}</a></p><noscript><p><a href="${here}">${t.refresh}</a></p></noscript></div></div>`
}

/** Our own address without its origin: images come from the origin of the page. */
function pathIn(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

type Change = keyof CredentialTexts['changes']

/** What can be done with an issuance in its state. */
function possible({ status, credentials }: Issuance): readonly Change[] {
  if (status === 'offered') return ['cancel']
  const [credential] = credentials
  if (credential?.revocable !== true) return []
  if (credential.status === 'suspended') return ['reinstate', 'revoke']
  return credential.status === 'issued' || credential.status === 'accepted' ? ['suspend', 'revoke'] : []
}

function changesOf(frame: Frame, t: CredentialTexts, issuance: Issuance): Html | null {
  const changes = may(frame, 'issuance:write') ? possible(issuance) : []
  if (changes.length === 0) return null
  return html`<div class="actions">${changes.map((change) => buttonLink(t.changes[change].button, `${LIST}/${issuance.id}/${change}`))}</div>`
}

function changeScreen(change: Change): readonly Endpoint[] {
  const show = async (frame: Frame<{ readonly id: string }>, problem?: string): Promise<Screen> => {
    const t = credentialTexts[frame.language]
    const { title, text, button: label } = t.changes[change]
    const [{ data }, templates] = await Promise.all([readIssuance(frame), templatesOf(frame)])
    const here = `${LIST}/${data.id}`
    const content = html`${hidden('sure', '1')}<p>${text}</p><div class="buttons">${button(label, { look: change === 'reinstate' ? 'main' : 'danger' })}${buttonLink(frame.t.cancel, here)}</div>`
    const about = facts([
      [t.template, templateName(data, templates)],
      [t.reference, data.reference ?? frame.t.none],
      [t.state, stateOf(data, t)],
    ])
    return {
      title,
      crumbs: [[t.title, LIST], [data.reference ?? t.one, here], [label]],
      main: html`<div class="narrow stack">${problem !== undefined && message('bad', t.notChanged + problem)}<section class="panel">${about}</section>${form(frame, `${here}/${change}`, content)}</div>`,
      hasErrors: problem !== undefined,
    }
  }
  return formScreen({
    ...{ place, path: `${LIST}/{id}/${change}`, summary: `Asks whether to ${change}, and does it.` },
    show: (frame) => show(frame),
    send: async (frame) => {
      const problem = await apply(frame, change)
      return problem === null ? { to: `${LIST}/${frame.params.id}` } : show(frame, problem)
    },
  })
}

type Result = {
  readonly results: readonly { readonly code?: string; readonly detail?: string; readonly status: string }[]
}

/** Returns why nothing was changed; null: it was. */
async function apply(frame: Frame<{ readonly id: string }>, change: Change): Promise<string | null> {
  const { data } = await readIssuance(frame)
  if (change === 'cancel') {
    await frame.api.send('DELETE', `/creds/credentials/${data.id}`)
    return null
  }
  const ids = data.credentials.map(({ id }) => id)
  const { data: done } = await frame.api.send<Result>('POST', `/creds/credentials/${change}`, { body: { ids } })
  const refused = done.results.find(({ code }) => code !== undefined)
  return refused === undefined ? null : (refused.detail ?? refused.status)
}

/** Credentials, and issuing one. */
export const credentialScreens: readonly Endpoint[] = [
  ...[...issueScreens, ...list, ...one, ...state],
  ...(['revoke', 'suspend', 'reinstate', 'cancel'] as const).flatMap(changeScreen),
]
