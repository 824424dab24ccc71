import type { GivenBody } from '../../contract/call.ts'
import { presentations } from '../../contract/wallet/presentations.ts'
import { parseJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, message, outcome } from '../../pages/parts.ts'
import { namesOf } from '../cards/history.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import { about } from './about.ts'
import { type Asked, type AskedMeta, chosenOf, type Opened, readInstead } from './choice.ts'
import { consentPage } from './consent.ts'
import { type AskedTexts, askedTexts } from './texts.ts'
import { unshownCount } from './what-leaves.ts'

const PATH = '/me/asked/{id}'
/** How long a second form waits for the end of the first. */
const WAIT_SECONDS = 3
type AskedFrame = Frame<{ readonly id: string }>

const asked = formScreen({
  place: null,
  path: PATH,
  summary: 'Shows a request with all that would leave, and sends the answer of the person.',
  show: async (frame) => {
    const opened = await read(frame)
    const instead = readInstead(frame.query.use ?? typed(frame.fields, 'use'), opened.meta)
    return opened.data.status === 'pending' && opened.meta.error === undefined
      ? consentPage(frame, opened, instead, null)
      : endedPage(frame, opened)
  },
  send: async (frame) => {
    const isShared = typed(frame.fields, 'answer') === 'answered'
    return isShared ? share(frame) : answer(frame, { status: 'rejected' }, {})
  },
})

async function read({ api, params }: AskedFrame, headers: Readonly<Record<string, string>> = {}): Promise<Opened> {
  const { data, meta, etag } = await api.call(presentations.get, { params: { id: params.id }, headers })
  return { data, meta, etag: etag ?? '' }
}

type Done =
  | Screen
  | { readonly to: string }
  | { readonly leaveFor: string }
  | { readonly signInAgain: { readonly nonce: string; readonly to: string } }

/** Sends nothing unless all is as the person saw it: the API compares the tag of what was shown. */
async function share(frame: AskedFrame): Promise<Done> {
  const opened = await read(frame)
  const use = typed(frame.fields, 'use')
  const instead = readInstead(use, opened.meta)
  const chosen = chosenOf(opened.meta, instead)
  const { named } = chosen
  if (opened.data.status === 'pending' && opened.meta.error === undefined && unshownCount(chosen) > 0)
    return { ...(await consentPage(frame, opened, instead, null)), hasErrors: true, status: 422 }
  // Without a tag, or with a choice that is not there any more, the person has not seen what would be sent.
  const isOther = (use === '') !== (named === null)
  const etag = isOther ? '"changed"' : typed(frame.fields, 'etag') || '"none"'
  const selected = selectedOf(named)
  const isAsked = opened.meta.needsConfirmation === true && opened.meta.error === undefined
  if (isAsked) return confirm(frame, { selected, etag, use })
  return answer(frame, { status: 'answered', ...selected }, { ifMatch: etag })
}

const selectedOf = (named: readonly string[] | null) =>
  named === null ? {} : { selectedCredentials: named.map((credentialId) => ({ credentialId })) }

/** Leads the person to the sign-in that confirms this answer, and from there to the address that sends it. */
async function confirm(
  frame: AskedFrame,
  { selected, etag, use }: { readonly selected: object; readonly etag: string; readonly use: string },
): Promise<Done> {
  const id = encodeURIComponent(frame.params.id)
  try {
    const more = { body: selected, ifMatch: etag }
    const { data } = await frame.api.call(presentations.startConfirmation, { params: { id }, ...more })
    const members = new URLSearchParams({ etag, ...(use !== '' && { use }) })
    return { signInAgain: { nonce: data.nonce, to: `/me/asked/${id}/confirmed?${members}` } }
  } catch (error) {
    return refusedAnswer(frame, error)
  }
}

/**
 * Sends the answer that the person decided on and confirmed. It is safe by GET: without an ID token that confirms
 * exactly this answer, which only the sign-in after the decision brings, the API sends nothing.
 */
const confirmed = screen({
  place: null,
  path: '/me/asked/{id}/confirmed',
  summary: 'Sends the answer that the person has confirmed.',
  show: async (frame) => {
    const opened = await read(frame)
    const to = `/me/asked/${encodeURIComponent(frame.params.id)}`
    if (opened.data.status !== 'pending') return { to }
    const { named } = chosenOf(opened.meta, readInstead(frame.query.use ?? '', opened.meta))
    const body = { status: 'answered', ...selectedOf(named), confirmation: frame.idToken }
    return answer(frame, body, { ifMatch: frame.query.etag ?? '"none"' })
  },
})

const logo = screen({
  place: null,
  path: '/me/asked/{id}/logo',
  summary: 'Returns the logo of a verifier whom the organisation knows.',
  show: async ({ api, params }) => {
    const { data } = await api.call(presentations.getLogo, { params: { id: params.id } })
    const headers = { 'cross-origin-resource-policy': 'same-origin' }
    return { file: Buffer.from(data.data, 'base64'), type: data.mediaType, headers }
  },
})

async function answer(
  frame: AskedFrame,
  body: GivenBody<typeof presentations.answer>,
  { ifMatch }: { readonly ifMatch?: string },
): Promise<Done> {
  const path = `/me/asked/${encodeURIComponent(frame.params.id)}`
  try {
    const more = { body, ...(ifMatch !== undefined && { ifMatch }) }
    const { meta } = await frame.api.call(presentations.answer, { params: { id: frame.params.id }, ...more })
    // OpenID4VP 1.0, 8.2 and HAIP 1.0, 5.1: the browser goes where the verifier says; the page has a link if it comes
    // back
    const next = addressAfter(meta)
    return next === null ? { to: path } : { leaveFor: next.href }
  } catch (error) {
    return refusedAnswer(frame, error)
  }
}

async function refusedAnswer(frame: AskedFrame, error: unknown): Promise<Done> {
  const path = `/me/asked/${encodeURIComponent(frame.params.id)}`
  // The page does not wait as long as the wallet: whether the answer arrived is shown there.
  if (error instanceof Fault && error.code === 'upstream.timeout') return { to: path }
  if (!(error instanceof ApiRefusal)) throw error
  const code = error.errors[0]?.code
  if (error.errors[0]?.rule === 'presentation.postponed')
    return withMessage(frame, askedTexts[frame.language].busy, 503)
  if (error.status === 412 || code === 'NO_MATCHING_CREDENTIAL') return shownAgain(frame)
  if (code === 'CONFIRMATION_REQUIRED') return notConfirmed(frame)
  // Answered before, perhaps by this very form, whose answer was lost, or being answered: the page says how it stands.
  if (error.status === 409) return { to: (await isEnding(frame)) ? `${path}?already=1` : path }
  if ([502, 504, 422].includes(error.status)) return { to: path }
  throw error
}

/** Waits a few seconds for the answer that another call is sending. @returns whether there is one now */
async function isEnding(frame: AskedFrame): Promise<boolean> {
  const { data } = await read(frame, { prefer: `wait=${WAIT_SECONDS}` })
  return data.status !== 'pending'
}

/** The person came back without a sign-in for this answer, or too late. */
function notConfirmed(frame: AskedFrame): Promise<Screen> {
  return withMessage(frame, askedTexts[frame.language].notConfirmed, 403)
}

/** The consent again, with what went wrong over it. */
async function withMessage(frame: AskedFrame, text: string, status: number): Promise<Screen> {
  const opened = await read(frame)
  if (opened.data.status !== 'pending') return endedPage(frame, opened)
  const use = frame.query.use ?? typed(frame.fields, 'use')
  const shown = await consentPage(frame, opened, readInstead(use, opened.meta), null)
  const main = html`${outcome('bad', text)}${shown.main}`
  return { ...shown, main, hasErrors: true, status }
}

async function shownAgain(frame: AskedFrame): Promise<Screen> {
  const opened = await read(frame)
  if (opened.data.status !== 'pending') return endedPage(frame, opened)
  const seen = seenIn(typed(frame.fields, 'seen'))
  return consentPage(frame, opened, readInstead(typed(frame.fields, 'use'), opened.meta), seen)
}

function seenIn(text: string): readonly string[] {
  try {
    const value = parseJson(text)
    return Array.isArray(value) ? value.slice(0, 500).map((one) => String(one).slice(0, 200)) : []
  } catch {
    return []
  }
}

function endedPage(frame: AskedFrame, { data, meta }: Opened): Screen {
  const t = askedTexts[frame.language]
  if (data.status === 'pending') return unconfirmedPage(frame, t, data, meta)
  const [title = '', advice = ''] = endOf(t, data.status, meta)
  const kind = data.status === 'answered' ? 'done' : data.status === 'failed' ? 'warn' : 'note'
  const isSeen = data.status === 'answered' || (data.status === 'failed' && meta.error?.code !== UNREAD)
  const names = isSeen ? sharedNames(data, meta) : []
  const list = names.length > 0 && html`<ul class="list">${names.map((one) => html`<li>${one}</li>`)}</ul>`
  const again = frame.query.already === '1' && data.status in t.already
  const already = again && message('note', t.already[data.status as keyof AskedTexts['already']])
  const main = html`${already}${outcome(kind, advice)}${list}${about(frame, t, meta, true)}
  <p class="buttons">${back(t, meta)}${buttonLink(t.cards, '/me')}</p>`
  return { title, main }
}

/** The refusal of a verifier of this deployment, which has not read the answer. */
const UNREAD = 'presentation.closed'

/** What became of a request, in words. What a foreign verifier says about its end is not known to be true. */
function endOf(t: AskedTexts, status: Exclude<Asked['status'], 'pending'>, { error }: AskedMeta): readonly string[] {
  const [title = '', advice = ''] = t.ended[status]
  if (status === 'rejected' && error !== undefined) return [title, t.notTold]
  if (status !== 'failed') return [title, advice]
  const end = error?.rule?.replace(/^request\./, '') ?? ''
  if (error?.code === UNREAD && end in t.late) return t.late[end as keyof AskedTexts['late']]
  return end === '' || end === 'unknown' ? [title, advice] : t.late.over
}

function unconfirmedPage(frame: AskedFrame, t: AskedTexts, data: Asked, meta: AskedMeta): Screen {
  const [title = '', advice = ''] = t.unconfirmed
  const buttons = html`<div class="buttons">
    ${button(t.sendAgain, { look: 'main', name: 'answer', value: 'answered' })}
    ${buttonLink(t.cards, '/me')}
  </div>`
  const again = form(frame, `/me/asked/${data.id}`, buttons)
  return { title, main: html`${outcome('warn', advice)}${about(frame, t, meta)}${again}` }
}

function sharedNames(data: Asked, { credentials = {}, alsoDisclosed = [] }: AskedMeta): string[] {
  return data.selectedCredentials.flatMap(({ credentialId, matchedAttributes }) => {
    const also = alsoDisclosed.filter((one) => one.credentialId === credentialId).flatMap((one) => one.attributes)
    return namesOf({ matchedAttributes, alsoDisclosed: also }, credentials[credentialId]?.display)
  })
}

/** Returns where the verifier sends the browser next: https only, except in development. */
function addressAfter({ redirectUri }: Pick<AskedMeta, 'redirectUri'>): URL | null {
  const url = URL.parse(redirectUri ?? '')
  const isLocal = url?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname)
  return url !== null && (url.protocol === 'https:' || isLocal) ? url : null
}

/** The way back to the verifier, told by its host. */
function back(t: AskedTexts, meta: AskedMeta): Html | null {
  const url = addressAfter(meta)
  if (url === null) return null
  return html`<a class="button main" href="${url.href}" rel="noreferrer">${t.backTo(url.host)}</a>`
}

/** The consent. */
export const askedScreens: readonly Endpoint[] = [...asked, ...confirmed, ...logo]
