import type { ReplyOf } from '../../contract/api-operation.ts'
import type { presentationRequests } from '../../contract/verification/presentation-requests.ts'
import type { Json } from '../../crypto/json.ts'
import { foreign, shownText } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { claimNumber } from '../../pages/moment-text.ts'
import { facts } from '../../pages/parts.ts'
import type { Tone } from '../../pages/table.ts'
import { typeName } from '../../pages/type-name.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { when } from '../frame/when.ts'
import { checkList, issueSentence, whatIsWrong } from './checks.ts'
import type { ClaimLabels } from './labels.ts'
import { type DeskTexts, deskTexts } from './texts.ts'

/** A presentation request with its result, as the API returns it. */
export type Check = ReplyOf<typeof presentationRequests.get>

const tones: Readonly<Record<keyof DeskTexts['verdicts'], Tone>> = {
  requested: 'plain',
  verified: 'ok',
  invalid: 'bad',
  issuer: 'warn',
  rejected: 'warn',
  expired: 'plain',
}
const warnings = new Set(['issuer.not_restricted', 'validity.certificate', 'presentation.elements'])

/** Returns the verdict of a request. */
export function verdictOf({ status, credentials }: Pick<Check, 'status' | 'credentials'>): {
  readonly name: keyof DeskTexts['verdicts']
  readonly tone: Tone
} {
  const defects = credentials.flatMap(({ issues }) => issues).filter(({ code }) => !warnings.has(code))
  const isForeign = defects.length > 0 && defects.every(({ code }) => code.startsWith('issuer.'))
  const name = status === 'failed' ? (isForeign ? 'issuer' : 'invalid') : status
  return { name, tone: tones[name] }
}

/**
 * The verdict, what was shown, and every check in words.
 *
 * @param labels What the claims are called; without one a claim is called by its name.
 * @param isNews The wallet has answered while the page was open: a screen reader says the verdict, and says it once.
 */
export function result(frame: Frame, check: Check, labels: ClaimLabels = () => null, isNews = false): Html {
  const t = deskTexts[frame.language]
  const { name, tone } = verdictOf(check)
  const { credentials, error } = check
  const wrong = [...new Set(credentials.flatMap(({ checks = [] }) => whatIsWrong(frame.language, checks)))].map(
    (text) => html`<li>${text}</li>`,
  )
  // Only where no credential says it: the error repeats their issues.
  const general = credentials.length > 0 ? [] : (error?.details ?? [])
  const reasons = [...wrong, ...general.map((one) => html`<li>${issueSentence(frame.language, one)}</li>`)]
  const verdict = html`<div class="verdict ${tone}"${isNews && html` role="alert"`}>
    <b>${t.verdicts[name]}</b>
    <p>${t.says[name]}</p>
    ${reasons.length > 0 && html`<ul class="list">${reasons}</ul>`}
  </div>`
  if (credentials.length === 0) return html`<div class="stack">${verdict}${times(frame, t, check)}</div>`
  const checks = credentials.map((one) => checkList(frame, one.checks ?? [], one.issues))
  return html`<div class="columns">
    <div class="stack">
      ${verdict}
      ${credentials.map((one) => shown(frame, t, labels, one))}
      ${times(frame, t, check)}
    </div>
    <div class="stack">${checks}</div>
  </div>`
}

/** When the wallet answered, and until when the answer is kept. */
function times(frame: Frame, t: DeskTexts, { id, completedAt, claimsKeptUntil }: Check): Html {
  const answered = completedAt !== undefined && html`${t.answered} ${when(frame, completedAt)}. `
  const erase =
    may(frame, 'verification:write') && html` <a href="/console/verifications/${id}/erase">${t.deleteNow}</a>`
  const kept = claimsKeptUntil !== undefined && html`${t.keptUntil} ${when(frame, claimsKeptUntil)}.${erase}`
  return html`${(completedAt ?? claimsKeptUntil) !== undefined && html`<p class="hint">${answered}${kept}</p>`}`
}

function shown(
  frame: Frame,
  t: DeskTexts,
  labels: ClaimLabels,
  { type, attributes, issuer, name, isValid, checks = [] }: Check['credentials'][number],
): Html {
  const claims = Object.entries(attributes).flatMap(([key, value]) => leaves(frame.language, [key], value))
  const lines = claims.map(([path, value]) => {
    return [shownText(labels(type, path) ?? labelOf(path)), foreign(value, 1000)] as const
  })
  const isOwn = checks.some(({ acceptedAs }) => acceptedAs === 'own')
  const stranger = issuer === null ? frame.t.none : foreign(issuer)
  const from = isOwn ? frame.me.organisation.name : stranger
  const empty = lines.length === 0 && !isValid && html`<p class="hint inside">${t.nothingKept}</p>`
  return html`<section class="panel"><header><h2>${foreign(name ?? typeName(type))}</h2></header>
    ${empty}
    ${facts([...lines, [t.from, from]])}
  </section>`
}

/** The name of a claim as people read it. */
function labelOf(path: ClaimPath): string {
  const words = (path.findLast((step) => step !== null) ?? '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Null: every element of a list. */
type ClaimPath = readonly (string | null)[]

/** Claims as lines; parts of an object are lines of their own. */
function leaves(
  language: Frame['language'],
  path: ClaimPath,
  value: Json,
): (readonly [path: ClaimPath, text: string])[] {
  const t = deskTexts[language]
  if (typeof value === 'boolean') return [[path, value ? t.yes : t.no]]
  if (typeof value === 'number') return [[path, claimNumber(value, language)]]
  if (Array.isArray(value)) {
    const texts = value.map((one) => leaves(language, [...path, null], one).map(([, text]) => text))
    return [[path, texts.map((one) => one.join(' ')).join(', ')]]
  }
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([inner, one]) => leaves(language, [...path, inner], one))
  return [[path, value === null ? '' : String(value)]]
}
