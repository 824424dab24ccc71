import { presentationRequests } from '../../contract/verification/presentation-requests.ts'
import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { badge, table } from '../../pages/table.ts'
import { chooser, chosenIn, isSearching, readChoices, searchIn } from '../frame/chooser.ts'
import { copied } from '../frame/copied.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { when } from '../frame/when.ts'
import { readLabels } from './labels.ts'
import { type Check, result, verdictOf } from './result.ts'
import { type DeskTexts, deskTexts } from './texts.ts'
import { verificationScreens } from './verification-screens.ts'

const DESK = '/console/verify'
const place = 'desk'

const desk = formScreen({
  place,
  path: DESK,
  summary: 'Asks what a person should show, and makes the request.',
  show: askForm,
  send: async (frame) => {
    if (isSearching(frame, 'template')) return askForm(frame)
    const body = { presentationTemplateId: typed(frame.fields, 'template') }
    const { data } = await frame.api.call(presentationRequests.create, { body, headers: onceHeader(frame.fields) })
    return { to: `${DESK}/${data.id}` }
  },
})

/** The request that was made last is chosen already; after a search that found one, that one. */
async function askForm(frame: Frame): Promise<Screen> {
  const t = deskTexts[frame.language]
  const latest =
    (await frame.orMissing(frame.api.call(presentationRequests.list, { query: { 'page[size]': '10' } })))?.data ?? []
  const search = searchIn(frame, 'template')
  const last = typed(frame.fields, 'template') || (latest[0]?.presentationTemplateId ?? '')
  const templates = await readChoices(frame, presentationTemplates, search, { chosen: last })
  if (templates.rows.length === 0 && search === '') {
    const none = html`<div class="empty">
      <p>${t.noRequests}</p>
      ${may(frame, 'verification:write') && buttonLink(t.makeRequest, '/console/requests')}
    </div>`
    return { title: t.title, main: none }
  }
  const value = chosenIn(templates, last)
  const ask = html`${onceField(frame.fields)}
  ${chooser(frame, { name: 'template', label: t.choose, value }, templates)}
  <div>${button(t.ask, { look: 'main' })}</div>`
  const asking = may(frame, 'verification:write') && html`<div class="narrow">${card(form(frame, DESK, ask))}</div>`
  const main = html`${asking}${latest.length > 0 && checks(frame, t, latest)}`
  return { title: t.title, main }
}

function checks(frame: Frame, t: DeskTexts, latest: readonly Check[]): Html {
  const columns = [
    {
      heading: t.requests,
      cell: (one: Check) => html`<a href="${DESK}/${one.id}">${one.templateName ?? one.id}</a>`,
    },
    { heading: t.state, cell: (one: Check) => badge(t.verdicts[verdictOf(one).name], verdictOf(one).tone) },
    { heading: t.when, cell: ({ createdAt }: Check) => when(frame, createdAt) },
  ]
  return html`<section class="stack"><h2>${t.latest}</h2>${table(t.latest, columns, latest)}</section>`
}

const one = screen({
  place,
  path: `${DESK}/{id}`,
  summary: 'Shows a request and, once the wallet has answered, its result.',
  show: async (frame) => {
    const t = deskTexts[frame.language]
    const { data, etag } = await readCheck(frame)
    const name = data.templateName ?? t.title
    const isOpen = data.status === 'requested'
    const again = form(
      frame,
      DESK,
      html`${onceField(frame.fields)}
      <input type="hidden" name="template" value="${data.presentationTemplateId}">
      <button type="submit" class="button ${isOpen ? 'plain' : 'main'}" accesskey="n">${t.next}</button>`,
    )
    const live = html`<live-region src="${DESK}/${data.id}/state" state="${isOpen ? (etag ?? '') : ''}">
      ${await content(frame, t, data)}
    </live-region>`
    return {
      title: name,
      crumbs: [[t.title, DESK], [name]],
      main: live,
      actions: may(frame, 'verification:write') ? again : undefined,
      modules: ['copy-text', 'fragments'],
      reloadSeconds: isOpen ? 4 : undefined,
    }
  },
})

/** The code while the wallet has not answered; the result takes its place. */
async function content(frame: Frame, t: DeskTexts, data: Check, isNews = false): Promise<Html> {
  if (data.status === 'requested') return html`<div class="asking">${code(frame, t, data)}${result(frame, data)}</div>`
  const shown = data.credentials.filter(({ attributes }) => Object.keys(attributes).length > 0)
  return result(frame, data, await readLabels(frame, shown), isNews)
}

function code(
  frame: Frame,
  t: DeskTexts,
  { authorizationRequestUri, authorizationRequestQrUri, requestPageUri, expiresAt }: Check,
): Html {
  const { pathname, search } = new URL(authorizationRequestQrUri)
  return html`<div class="stack">
    <img class="qr" src="${pathname + search}" alt="${t.qr}" width="352" height="352">
    <p class="hint">${t.until} ${when(frame, expiresAt)} · <a href="${authorizationRequestUri}">${t.openWallet}</a></p>
    <details>
      <summary>${t.links}</summary>
      <p>${t.link}</p>
      ${copied(frame, requestPageUri)}
      <p>${t.walletLink}</p>
      ${copied(frame, authorizationRequestUri)}
    </details>
    <noscript><p class="hint">${t.reload}</p></noscript>
  </div>`
}

const state = screen({
  place,
  path: `${DESK}/{id}/state`,
  summary: 'Returns the result of a request once it has changed.',
  show: async (frame) => {
    const known = String(frame.headers['x-state'] ?? '')
    const { data, etag, status } = await readCheck(frame, { 'if-none-match': known, prefer: 'wait=6' })
    if (status === 304) return { fragment: html``, status: 204 }
    const fragment = await content(frame, deskTexts[frame.language], data, true)
    return { fragment, headers: { 'x-state': data.status === 'requested' ? (etag ?? '') : '' } }
  },
})

function readCheck({ api, params }: Frame<{ readonly id: string }>, headers: Readonly<Record<string, string>> = {}) {
  return api.call(presentationRequests.get, { params: { id: params.id }, headers })
}

/** The screens of the desk, and of the templates of its requests. */
export const deskScreens: readonly Endpoint[] = [...desk, ...one, ...state, ...verificationScreens]
