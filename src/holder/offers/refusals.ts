import { isJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { type Html, html } from '../../pages/html.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { buttonLink, outcome } from '../../pages/parts.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { type Frame, reasons, type Screen } from '../frame/screen.ts'
import { type OfferTexts, offerTexts } from './texts.ts'

/** What the person was doing: opening an offer, taking it, or opening a request. */
type Step = 'open' | 'take' | 'request'

type Told =
  | ('malformed' | 'untrusted' | 'lies' | 'full' | 'format' | 'request' | 'refusedVerifier')
  | RequestEnd
  | Trouble
/** How a request ended, or that there is none. */
type RequestEnd = 'answered' | 'canceled' | 'expired' | 'over' | 'noRequest'
/** What may be over in a minute, or is not the fault of a link. */
type Trouble = 'away' | 'busy' | 'slow' | 'large'

const statuses: Readonly<Record<Told, number>> = {
  malformed: 404,
  untrusted: 403,
  lies: 502,
  full: 409,
  format: 422,
  answered: 410,
  canceled: 410,
  expired: 410,
  over: 410,
  noRequest: 404,
  request: 422,
  refusedVerifier: 403,
  away: 504,
  busy: 503,
  slow: 504,
  large: 502,
}

/**
 * Returns the page about an offer or request that the wallet refused: what happened, and what to do. Rethrows what is
 * no such refusal.
 */
export function toldRefusal(frame: Frame, error: unknown, step: Step): Screen {
  const t = offerTexts[frame.language]
  if (error instanceof ApiRefusal && step !== 'request') {
    const { takenCredentials, isBeingRedeemed } = error.errors[0]?.meta ?? {}
    const taken = Array.isArray(takenCredentials) ? takenCredentials.map(String) : []
    if (taken.length > 0) return takenPage(frame, taken)
    if (isBeingRedeemed === true) return underwayPage(t)
  }
  // The page does not wait as long as the wallet, which may end well after it.
  if (error instanceof Fault && error.code === 'upstream.timeout') return toldPage(frame, 'slow', step, null)
  const ended = error instanceof ApiRefusal && step !== 'request' ? endOf(error) : null
  if (ended !== null && error instanceof ApiRefusal) return endedPage(frame, ended, refusalWords(frame, error))
  const told = error instanceof ApiRefusal ? toldOf(error, step) : null
  if (!(error instanceof ApiRefusal) || told === null) throw error
  const more = refusalWords(frame, error)
  if (isTrouble(told)) return toldPage(frame, told, step, more)
  // One of the pairs of the table.
  const [title = '', advice = ''] = t[told] as OfferTexts['full']
  return page(frame, { title, advice, status: statuses[told], isRepeatable: false }, more)
}

/** The server's own words, and the id of the refusal. */
function refusalWords({ t, texts }: Frame, error: ApiRefusal): Html {
  return html`${reasons(t, error.errors)}
  <p class="hint">
    ${texts.errorId} <copy-text label="${texts.copy}" done="${texts.copied}"><code>${error.id}</code></copy-text>
  </p>`
}

/** Why an offer cannot be used. `issuer`: whom to ask; null: nothing is known of it. */
type Ended = { readonly state: keyof OfferTexts['ended']; readonly issuer: string | null }

/** The page about an offer that cannot be used: why, and whom to ask. */
export function endedPage(frame: Frame, ended: Ended, more: Html | null = null): Screen {
  const { title, advice, status } = endedWords(offerTexts[frame.language], ended)
  return page(frame, { title, advice, status, isRepeatable: false }, more)
}

/** The words of {@link endedPage}, and its status. */
export function endedWords(t: OfferTexts, { state, issuer }: Ended): Omit<Words, 'isRepeatable'> {
  const { title, advice } = t.ended[state]
  return { title, advice: advice(issuer ?? t.theIssuer), status: state === 'unknown' ? 404 : 410 }
}

/** The words about a request that ended, or that there is none, and its status. */
export function endedRequestWords(t: OfferTexts, end: RequestEnd): Omit<Words, 'isRepeatable'> {
  const [title, advice] = t[end]
  return { title, advice, status: statuses[end] }
}

/** Returns what the server of an offer's issuer calls its state; `unsaid` for any other text. */
function endedStateOf(stated: unknown): keyof OfferTexts['ended'] {
  const found = Object.keys(offerTexts.en.ended).find((one) => one === stated)
  // One of the keys of the table.
  return found === undefined ? 'unsaid' : (found as keyof OfferTexts['ended'])
}

function endOf(refusal: ApiRefusal): Ended | null {
  const { rule, meta } = refusal.errors[0] ?? {}
  if (rule !== 'offer.unusable') return null
  const { state, host, issuerName } = isJsonObject(meta?.offer) ? meta.offer : {}
  const isLocked = codeProblemOf(refusal)?.triesLeft === 0
  // Only an issuer of this deployment is called by its name: anybody can choose one.
  const issuer = foreignText(issuerName ?? host ?? '', 100)
  return { state: isLocked ? 'locked' : endedStateOf(state), issuer }
}

/** Whether the offer of a refusal has ended, so that no other code helps. */
export function isEnded({ errors }: ApiRefusal): boolean {
  const about = errors[0]?.meta?.offer
  return isJsonObject(about) && about.state !== undefined
}

/** The person took the offer before: an answer was lost, the link is opened again, or another tab was faster. */
export function takenPage(frame: Frame, credentialIds: readonly string[]): Screen {
  const t = offerTexts[frame.language]
  const [title = '', advice = ''] = credentialIds.length === 1 ? t.taken : t.takenMany
  const [card = '', ...others] = credentialIds
  const show = others.length === 0 && buttonLink(t.show, `/me/cards/${encodeURIComponent(card)}`)
  const main = html`${outcome('done', advice)}<p class="buttons">${show}${buttonLink(t.back, '/me')}</p>`
  return { title, main }
}

/** The wallet has redeemed the offer and adds the card by itself. */
export function underwayPage(t: OfferTexts): Screen {
  const [title = '', advice = ''] = t.underway
  return { title, main: html`${outcome('note', advice)}<p class="buttons">${buttonLink(t.back, '/me')}</p>` }
}

function toldPage(frame: Frame, told: Trouble, step: Step, more: Html | null): Screen {
  const t = offerTexts[frame.language]
  const [title = '', what = ''] = t[told]
  const advice = `${what} ${told === 'slow' && step === 'take' ? t.kept.late : t.kept[step]}`
  return page(frame, { title, advice, status: statuses[told], isRepeatable: told !== 'large' }, more)
}

type Words = {
  readonly title: string
  readonly advice: string
  readonly status: number
  readonly isRepeatable: boolean
}

function page(frame: Frame, { title, advice, status, isRepeatable }: Words, more: Html | null): Screen {
  const t = offerTexts[frame.language]
  const again = isRepeatable && /^\/(open|offer)\?/.test(frame.here) && buttonLink(t.again, frame.here)
  const main = html`${outcome('bad', advice)}
  <p class="buttons">${again}${buttonLink(t.back, '/me')}${buttonLink(t.scanTitle, '/me/scan')}</p>${more}`
  return { title, main, hasErrors: true, status, modules: ['copy-text'] }
}

function isTrouble(told: Told): told is Trouble {
  return told === 'away' || told === 'busy' || told === 'slow' || told === 'large'
}

/** By the rule of a refusal: what it is about, whatever was asked for. */
const byRule: Readonly<Record<string, Told>> = {
  'upstream.unreachable': 'away',
  'upstream.answer': 'away',
  'upstream.busy': 'busy',
  'upstream.too_large': 'large',
  'upstream.refused': 'malformed',
}
const requestByRule: Readonly<Record<string, RequestEnd>> = {
  'request.answered': 'answered',
  'request.canceled': 'canceled',
  'request.expired': 'expired',
  'request.over': 'over',
  'request.unknown': 'noRequest',
}
const offerByRule: Readonly<Record<string, Told>> = {
  'offer.malformed': 'malformed',
  'upstream.media_type': 'lies',
  'issuer_metadata.invalid': 'lies',
  'issuer_answer.invalid': 'lies',
  'authorization_response.invalid': 'lies',
}
const offerByCode: Readonly<Record<string, Told>> = {
  UNTRUSTED_ISSUER: 'untrusted',
  UNSUPPORTED_FORMAT: 'format',
  CREDENTIAL_INVALID: 'lies',
  INVALID_STATE: 'full',
  VALIDATION_ERROR: 'malformed',
}

function toldOf(refusal: ApiRefusal, step: Step): Told | null {
  const { status, errors } = refusal
  const { code = '', rule = '' } = errors[0] ?? {}
  if (code === 'UPSTREAM_TIMEOUT') return 'slow'
  const told = byRule[rule]
  if (told !== undefined) return told
  if (step === 'request') {
    if (rule === 'verifier.untrusted') return 'refusedVerifier'
    const end = requestByRule[rule]
    if (end !== undefined) return end
    return [400, 409, 422, 502].includes(status) ? 'request' : null
  }
  return offerByRule[rule] ?? offerByCode[code] ?? null
}

/**
 * What a refusal says about the transaction code: that it may be wrong, and how many tries are left, if the issuer says
 * that.
 */
export function codeProblemOf({ errors }: ApiRefusal): { readonly triesLeft: number | null } | null {
  const said = errors[0]?.meta?.txCode
  if (!isJsonObject(said)) return null
  return { triesLeft: typeof said.triesLeft === 'number' ? said.triesLeft : null }
}
