import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import { issuances } from '../../contract/issuance/issuances.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { choicesIn, hidden, select } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink, facts, message } from '../../pages/parts.ts'
import { pager, table } from '../../pages/table.ts'
import { type Choices, filterChooser, readChoices, searchIn } from '../frame/chooser.ts'
import { copied } from '../frame/copied.ts'
import { forDevelopers } from '../frame/developers.ts'
import { emptyList } from '../frame/empty-list.ts'
import { type Frame, listOf, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { keptSort, sortIn, sortingOf } from '../frame/sorting.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { changeScreens, possible, readIssuance } from './change-screens.ts'
import { type Issuance, mailStateOf, nameOf, stateOf } from './issuance.ts'
import { issueScreens } from './issue-screens.ts'
import { manyChanges, manyScreens, selection } from './many-screens.ts'
import { type CredentialTexts, credentialTexts } from './texts.ts'

const LIST = '/console/credentials'
const place = 'credentials'
const orders = { names: ['createdAt'], byDefault: '-createdAt' }

const list = screen({
  place,
  path: LIST,
  summary: 'Lists who has what.',
  download: ({ query }) => listOf(issuances.list, { query: { ...filtersIn(query), sort: sortIn(query, orders) } }),
  show: async (frame) => {
    const { api, query, texts } = frame
    const t = credentialTexts[frame.language]
    const filters = filtersIn(query)
    const [{ data, links, meta }, templates] = await Promise.all([
      api.call(issuances.list, { query: { ...filters, ...countedPageOf(query), sort: sortIn(query, orders) } }),
      frame.orMissing(readChoices(frame, credentialTemplates, searchIn(frame, 'template'), { chosen: query.template })),
    ])
    const isFiltered = Object.values(filters).some(Boolean) || query.after !== undefined
    const issue = may(frame, 'issuance:write') && buttonLink(t.issue, '/console/issue', 'main')
    const none = emptyList(frame, { isFiltered, fits: t.emptyFilter, empty: t.empty, way: issue })
    const main = html`${(isFiltered || data.length > 0) && filter(frame, t, templates)}${totalLine(frame, meta, t.counted)}${data.length === 0 ? none : rowsOf(frame, t, data)}${pager(texts, links, frame.here)}`
    const isEmpty = data.length === 0
    return { title: t.title, main, isEmpty, actions: html`<div class="buttons">${issue}</div>` }
  },
})

/** States that a person chooses from, and the filter of the API for each, whose value is the state or `true`. */
const states: Readonly<Record<keyof CredentialTexts['filterStates'], string>> = {
  offered: 'credentialStatus',
  deferred: 'credentialStatus',
  completed: 'status',
  rejected: 'credentialStatus',
  suspended: 'credentialStatus',
  revoked: 'credentialStatus',
  failed: 'status',
  expired: 'status',
  canceled: 'status',
  mailFailed: 'hasFailedMail',
}

function filtersIn(query: Frame['query']): Record<string, string | undefined> {
  const state = Object.entries(states).find(([name]) => name === query.state)
  return {
    'filter[templateId]': query.template,
    ...(state !== undefined && { [`filter[${state[1]}]`]: state[1] === 'hasFailedMail' ? 'true' : state[0] }),
    'search[reference]': query.reference?.trim(),
    'filter[recipient]': query.recipient?.trim(),
    'filter[batchId]': query.batch,
  }
}

function filter(frame: Frame, t: CredentialTexts, templates: Choices | null): Html {
  const { query, t: common } = frame
  const all = { value: '', text: common.all }
  const choices = choicesIn(t.filterStates)
  const text = (name: 'reference' | 'recipient', label: string) =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="search" maxlength="200" value="${query[name] ?? ''}"></div>`
  return html`<form class="filter" method="get" action="${LIST}">${filterChooser(frame, { name: 'template', label: t.template, value: query.template ?? '', first: [all] }, templates)}
${select(frame, { name: 'state', label: t.state, value: query.state ?? '', choices: [all, ...choices] })}
${text('recipient', t.person)}${text('reference', t.reference)}${query.batch !== undefined && hidden('batch', query.batch)}${keptSort(frame, orders)}${button(common.filter)}</form>`
}

function rowsOf(frame: Frame, t: CredentialTexts, issuances: readonly Issuance[]): Html {
  const { t: common } = frame
  const shown = table(
    t.title,
    [
      { heading: t.template, cell: (one: Issuance) => nameCell(frame, t, one) },
      { heading: t.person, cell: (one: Issuance) => person(one, common.none) },
      { heading: t.reference, cell: ({ reference }: Issuance) => reference ?? common.none },
      { heading: t.state, cell: (one: Issuance) => html`${stateOf(one, t)}${mailFailure(one, t)}` },
      { heading: t.created, cell: ({ createdAt }: Issuance) => when(frame, createdAt), sort: 'createdAt' },
    ],
    issuances,
    sortingOf(frame, orders),
  )
  return issuances.some((one) => canTick(frame, one)) ? selection(frame, t, shown) : shown
}

/** What a person looks for who was told that offers could not be sent. */
function mailFailure({ status, offerMail }: Issuance, t: CredentialTexts): Html | null {
  if (status !== 'offered' || offerMail?.state !== 'failed') return null
  return html`<br><span class="hint">${t.mailFailed}</span>`
}

/** The name on the card, and the username below it where both are known. */
function person({ label, recipient }: Issuance, none: string): Html {
  const username = recipient?.username
  if (label === undefined) return html`${username ?? none}`
  return html`${foreign(label)}${username !== undefined && html`<br><span class="hint">${foreign(username, 255)}</span>`}`
}

/** Whether its credential is one of those that can be changed together. */
function canTick(frame: Frame, issuance: Issuance): boolean {
  return may(frame, 'issuance:write') && possible(issuance).some((change) => manyChanges.some((one) => one === change))
}

/** The name of a row, with a box where its credential can be changed. */
function nameCell(frame: Frame, t: CredentialTexts, one: Issuance): Html {
  const [credential] = one.credentials
  const link = html`<a href="${LIST}/${one.id}">${foreign(one.templateName)}</a>`
  if (credential === undefined || !canTick(frame, one)) return html`<span class="chosen">${link}</span>`
  const label = [one.templateName, nameOf(one), one.reference].filter(Boolean).join(' · ')
  return html`<span class="chosen"><input type="checkbox" name="ids[]" value="${credential.id}" aria-label="${t.choose}: ${label}">${hidden(`name-${credential.id}`, label)}${link}</span>`
}

const one = screen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows an issuance: its offer, and the state of its credential.',
  show: async (frame) => {
    const { language } = frame
    const t = credentialTexts[language]
    const { data, etag } = await readIssuance(frame)
    const isOpen = data.status === 'offered'
    const live = html`<live-region src="${LIST}/${data.id}/state" state="${isOpen ? (etag ?? '') : ''}">${stateOfOne(frame, t, data)}</live-region>`
    const { recipient, batchId, reason, label, offerMail } = data
    const time = (name: string, value: string | undefined) =>
      value === undefined ? [] : [[name, when(frame, value)] as const]
    return {
      title: data.templateName,
      crumbs: [[t.title, LIST], [label ?? data.reference ?? data.templateName]],
      main: html`${live}<section class="panel narrow"><header><h2>${t.one}</h2>${may(frame, 'events:read') && html`<a href="${`/console/events?subject=${data.id}`}">${t.history}</a>`}</header>${facts(
        [
          ...(label === undefined ? [] : [[t.name, foreign(label)] as const]),
          [t.person, personOf(frame, recipient)],
          [t.reference, data.reference ?? frame.t.none],
          ...(reason === undefined ? [] : [[t.reason, t.reasons[reason]] as const]),
          [t.created, when(frame, data.createdAt)],
          ...time(t.taken, data.issuedAt),
          ...time(t.accepted, data.acceptedAt),
          ...time(t.validUntil, data.validUntil),
          ...(data.issuedAt === undefined ? [[t.ends, when(frame, data.expiresAt)] as const] : []),
          ...(batchId === undefined
            ? []
            : [[t.batch, html`<a href="${`${LIST}?batch=${batchId}`}">${t.sameBatch}</a>`] as const]),
          ...(offerMail === undefined ? [] : [[t.mail, mailStateOf(offerMail, t)] as const]),
        ],
      )}</section>${forDevelopers(frame, issuances.get, { params: { id: data.id } })}`,
      modules: ['copy-text', 'fragments'],
    }
  },
})

function personOf(frame: Frame, recipient: Issuance['recipient']): Html | string {
  const { username } = recipient ?? {}
  if (username === undefined) return frame.t.none
  return may(frame, 'users:read')
    ? html`<a href="/console/people/${encodeURIComponent(username)}">${username}</a>`
    : username
}

const state = screen({
  place,
  path: `${LIST}/{id}/state`,
  summary: 'Returns the state of an issuance once it has changed.',
  show: async (frame) => {
    const known = String(frame.headers['x-state'] ?? '')
    const { data, etag, status } = await readIssuance(frame, { 'if-none-match': known, prefer: 'wait=6' })
    if (status === 304) return { fragment: html``, status: 204 }
    const next = data.status === 'offered' ? (etag ?? '') : ''
    return { fragment: stateOfOne(frame, credentialTexts[frame.language], data), headers: { 'x-state': next } }
  },
})

/** The part of the page that changes by itself. */
function stateOfOne(frame: Frame, t: CredentialTexts, issuance: Issuance): Html {
  const { status, error } = issuance
  const isOpen = status === 'offered' || status === 'partiallyIssued'
  const isDeferred = isOpen && issuance.credentials[0]?.status === 'deferred'
  const text = isDeferred ? t.deferredText : isOpen ? t.offerText : t.noOffer[status]
  return html`<div class="stack"><p role="status">${stateOf(issuance, t)} ${text}</p>${error !== null && message('bad', error.message)}
${isOpen && !isDeferred && offer(frame, t, issuance)}${changesOf(frame, t, issuance)}</div>`
}

function offer(frame: Frame, t: CredentialTexts, issuance: Issuance): Html | null {
  const { offerUri, offerPageUri, offerPageQrUri, offerQrUri } = issuance
  if (offerUri === '') return null
  return html`<div class="asking"><div class="stack">${qrImage(offerPageQrUri, t.qr)}</div><div class="stack"><p><b>${t.link}</b></p>
${copied(frame, offerPageUri)}
<p><b>${t.walletLink}</b></p>
${copied(frame, offerUri)}<p><a href="${offerUri}">${t.openWallet}</a></p>
<details><summary>${t.appCode}</summary>${qrImage(offerQrUri, t.appQr)}</details><noscript><p><a href="${frame.here}">${t.refresh}</a></p></noscript></div></div>`
}

function qrImage(url: string, text: string): Html {
  return html`<img class="qr" src="${pathIn(url)}" alt="${text}" width="352" height="352">`
}

/** Our own address without its origin: images come from the origin of the page. */
function pathIn(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

function changesOf(frame: Frame, t: CredentialTexts, issuance: Issuance): Html | null {
  const changes = may(frame, 'issuance:write') ? possible(issuance) : []
  if (changes.length === 0) return null
  return html`<div class="actions">${changes.map((change) => buttonLink(t.changes[change].button, `${LIST}/${issuance.id}/${change}`))}</div>`
}

/** Credentials, and issuing one. */
export const credentialScreens: readonly Endpoint[] = [
  ...issueScreens,
  ...manyScreens,
  ...list,
  ...one,
  ...state,
  ...changeScreens,
]
