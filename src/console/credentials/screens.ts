import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import { issuances } from '../../contract/issuance/issuances.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { choicesIn, hidden, searchInput, select } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink, facts, message } from '../../pages/parts.ts'
import { type Choices, filterChooser, readChoices, searchIn } from '../frame/chooser.ts'
import { copied } from '../frame/copied.ts'
import { forDevelopers } from '../frame/developers.ts'
import { type Frame, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { tableScreen } from '../frame/table-screen.ts'
import { when } from '../frame/when.ts'
import { issuanceChanges, possible, readIssuance } from './change-screens.ts'
import { type ConsoleIssuance, issuanceName, issuanceState, mailStateOf } from './issuance.ts'
import { issueScreens } from './issue-screens.ts'
import { manyChanges, manyScreens, selection } from './many-screens.ts'
import { replaceAddress, replacementFacts } from './replace-fields.ts'
import { type CredentialTexts, credentialTexts } from './texts.ts'

const LIST = '/console/credentials'
const place = 'credentials'
const textsOf = ({ language }: Frame) => credentialTexts[language]

const list = tableScreen({
  place,
  path: LIST,
  summary: 'Lists who has what.',
  operation: issuances.list,
  texts: textsOf,
  orders: { names: ['createdAt'], byDefault: '-createdAt' },
  filters: ({ query }) => filtersIn(query),
  read: (frame) =>
    frame.orMissing(
      readChoices(frame, credentialTemplates, searchIn(frame, 'template'), { chosen: frame.query.template }),
    ),
  fields: filterFields,
  columns: (frame) => {
    const t = textsOf(frame)
    return [
      { heading: t.template, cell: (one) => nameCell(frame, t, one) },
      { heading: t.person, cell: (one) => person(one, frame.t.none) },
      { heading: t.reference, cell: ({ reference }) => reference ?? frame.t.none },
      { heading: t.state, cell: (one) => html`${issuanceState(one, t)}${mailFailure(one, t)}` },
      { heading: t.created, cell: ({ createdAt }) => when(frame, createdAt), sort: 'createdAt' },
    ]
  },
  around: (frame, shown, rows) =>
    rows.some((one) => canTick(frame, one)) ? selection(frame, textsOf(frame), shown) : shown,
  none: (frame) => {
    const t = textsOf(frame)
    return { fits: t.emptyFilter, empty: t.empty, way: wayToIssue(frame) }
  },
  actions: (frame) => html`<div class="buttons">${wayToIssue(frame)}</div>`,
})

function wayToIssue(frame: Frame): Html | false {
  return may(frame, 'issuance:write') && buttonLink(textsOf(frame).issue, '/console/issue', 'main')
}

const ENDING_MS = 30 * 86_400_000
/** States that a person chooses from, and the filter of the API for each, whose value is the state or `true`. */
const states: Readonly<Record<Exclude<keyof CredentialTexts['filterStates'], 'ending'>, string>> = {
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
    ...(query.state === 'ending' && endingSoon(Date.now())),
    ...(state !== undefined && { [`filter[${state[1]}]`]: state[1] === 'hasFailedMail' ? 'true' : state[0] }),
    'search[name]': query.name?.trim(),
    'search[reference]': query.reference?.trim(),
    'filter[recipient]': query.recipient?.trim(),
    'filter[batchId]': query.batch,
  }
}

/** As the figures of the first page count them. */
function endingSoon(now: number) {
  return {
    'filter[validAfter]': new Date(now).toISOString(),
    'filter[validBefore]': new Date(now + ENDING_MS).toISOString(),
  }
}

function filterFields(frame: Frame, templates: Choices | null): Html {
  const { query } = frame
  const t = textsOf(frame)
  const all = { value: '', text: frame.t.all }
  const states = [all, ...choicesIn(t.filterStates)]
  const template = { name: 'template', label: t.template, value: query.template ?? '', first: [all] }
  return html`${filterChooser(frame, template, templates)}
${select(frame, { name: 'state', label: t.state, value: query.state ?? '', choices: states })}
${searchInput('name', t.name, query.name)}${searchInput('reference', t.reference, query.reference)}
${searchInput('recipient', t.person, query.recipient)}
${query.batch !== undefined && hidden('batch', query.batch)}`
}

/** What a person looks for who was told that offers could not be sent. */
function mailFailure({ status, offerMail }: ConsoleIssuance, t: CredentialTexts): Html | null {
  if (status !== 'offered' || offerMail?.state !== 'failed') return null
  return html`<br><span class="hint">${t.mailFailed}</span>`
}

/** The name on the card, and the username below it where both are known. */
function person({ label, recipient }: ConsoleIssuance, none: string): Html {
  const username = recipient?.username
  if (label === undefined) return html`${username ?? none}`
  const below = username !== undefined && html`<br><span class="hint">${foreign(username, 255)}</span>`
  return html`${foreign(label)}${below}`
}

/** Whether its credential is one of those that can be changed together. */
function canTick(frame: Frame, issuance: ConsoleIssuance): boolean {
  return may(frame, 'issuance:write') && possible(issuance).some((change) => manyChanges.some((one) => one === change))
}

/** The name of a row, with a box where its credential can be changed. */
function nameCell(frame: Frame, t: CredentialTexts, one: ConsoleIssuance): Html {
  const [credential] = one.credentials
  const link = html`<a href="${LIST}/${one.id}">${foreign(one.templateName)}</a>`
  if (credential === undefined || !canTick(frame, one)) return html`<span class="chosen">${link}</span>`
  const label = [one.templateName, issuanceName(one), one.reference].filter(Boolean).join(' · ')
  return html`<span class="chosen">
    <input type="checkbox" name="ids[]" value="${credential.id}" aria-label="${t.choose}: ${label}">
    ${hidden(`name-${credential.id}`, label)}
    ${link}
  </span>`
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
    const live = html`<live-region src="${LIST}/${data.id}/state" state="${isOpen ? (etag ?? '') : ''}">
      ${stateOfOne(frame, t, data)}
    </live-region>`
    const { recipient, batchId, reason, label, offerMail } = data
    const time = (name: string, value: string | undefined) =>
      value === undefined ? [] : [[name, when(frame, value)] as const]
    const history =
      may(frame, 'events:read') && html`<a href="${`/console/events?subject=${data.id}`}">${t.history}</a>`
    const known = facts([
      ...(label === undefined ? [] : [[t.name, foreign(label)] as const]),
      [t.person, personOf(frame, recipient)],
      [t.reference, data.reference ?? frame.t.none],
      ...(reason === undefined ? [] : [[t.reason, t.reasons[reason]] as const]),
      [t.created, when(frame, data.createdAt)],
      ...time(t.taken, data.issuedAt),
      ...time(t.accepted, data.acceptedAt),
      ...time(t.validFrom, data.validFrom),
      ...time(t.validUntil, data.validUntil),
      ...(data.issuedAt === undefined ? [[t.ends, when(frame, data.expiresAt)] as const] : []),
      ...(batchId === undefined
        ? []
        : [[t.batch, html`<a href="${`${LIST}?batch=${batchId}`}">${t.sameBatch}</a>`] as const]),
      ...replacementFacts(frame, data),
      ...(offerMail === undefined ? [] : [[t.mail, mailStateOf(offerMail, t)] as const]),
    ])
    return {
      title: data.templateName,
      crumbs: [[t.title, LIST], [label ?? data.reference ?? data.templateName]],
      main: html`${live}
      <section class="panel narrow">
        <header><h2>${t.one}</h2>${history}</header>
        ${known}
      </section>
      ${forDevelopers(frame, issuances.get, { params: { id: data.id } })}`,
      modules: ['copy-text', 'fragments'],
    }
  },
})

function personOf(frame: Frame, recipient: ConsoleIssuance['recipient']): Html | string {
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
function stateOfOne(frame: Frame, t: CredentialTexts, issuance: ConsoleIssuance): Html {
  const { status, error } = issuance
  const isOpen = status === 'offered' || status === 'partiallyIssued'
  const isDeferred = isOpen && issuance.credentials[0]?.status === 'deferred'
  const text = isDeferred ? t.deferredText : isOpen ? t.offerText : t.noOffer[status]
  return html`<div class="stack">
    <p role="status">${issuanceState(issuance, t)} ${text}</p>
    ${error !== null && message('bad', error.message)}
    ${isOpen && !isDeferred && offer(frame, t, issuance)}
    ${changesOf(frame, t, issuance)}
  </div>`
}

function offer(frame: Frame, t: CredentialTexts, issuance: ConsoleIssuance): Html | null {
  const { offerUri, offerPageUri, offerPageQrUri, offerQrUri } = issuance
  if (offerUri === '') return null
  return html`<div class="asking">
    <div class="stack">${qrImage(offerPageQrUri, t.qr)}</div>
    <div class="stack">
      <p><b>${t.link}</b></p>
      ${copied(frame, offerPageUri)}
      <p><b>${t.walletLink}</b></p>
      ${copied(frame, offerUri)}
      <p><a href="${offerUri}">${t.openWallet}</a></p>
      <details><summary>${t.appCode}</summary>${qrImage(offerQrUri, t.appQr)}</details>
      <noscript><p><a href="${frame.here}">${t.refresh}</a></p></noscript>
    </div>
  </div>`
}

function qrImage(url: string, text: string): Html {
  return html`<img class="qr" src="${pathIn(url)}" alt="${text}" width="352" height="352">`
}

/** Our own address without its origin: images come from the origin of the page. */
function pathIn(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

function changesOf(frame: Frame, t: CredentialTexts, issuance: ConsoleIssuance): Html | null {
  if (!may(frame, 'issuance:write')) return null
  const changes = possible(issuance)
  const links = changes.map((change) => buttonLink(t.changes[change].button, `${LIST}/${issuance.id}/${change}`))
  const replace = replaceAddress(issuance)
  if (links.length === 0 && replace === null) return null
  return html`<div class="actions">${links}${replace !== null && buttonLink(t.replace.button, replace)}</div>`
}

/** Credentials, and issuing one. */
export const credentialScreens: readonly Endpoint[] = [
  ...issueScreens,
  ...manyScreens,
  ...list,
  ...one,
  ...state,
  ...issuanceChanges,
]
