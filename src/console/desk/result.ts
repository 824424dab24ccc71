import type { Json, JsonObject } from '../../crypto/json.ts'
import { type Html, html } from '../../pages/html.ts'
import { facts } from '../../pages/parts.ts'
import type { Tone } from '../../pages/table.ts'
import type { Frame } from '../frame/screen.ts'
import { type DeskTexts, deskTexts } from './texts.ts'

type Issue = { readonly code: string; readonly message: string }

/** A presentation request with its result, as the API returns it. */
export type Check = {
  readonly id: string
  readonly status: 'requested' | 'verified' | 'rejected' | 'failed' | 'expired'
  readonly error: { readonly details: readonly Issue[] } | null
  readonly presentationTemplateId: string
  readonly templateName?: string
  readonly claimsKeptUntil?: string
  readonly credentials: readonly {
    readonly isValid: boolean
    readonly name: string | null
    readonly attributes: JsonObject
    readonly issuer: string | null
    readonly issues: readonly Issue[]
  }[]
  readonly expiresAt: string
  readonly authorizationRequestUri: string
  readonly authorizationRequestQrUri: string
  readonly createdAt: string
}

const tones: Readonly<Record<keyof DeskTexts['verdicts'], Tone>> = {
  ...{ requested: 'plain', verified: 'ok', invalid: 'bad', issuer: 'warn', rejected: 'warn', expired: 'plain' },
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

/** The part of the page that changes by itself: the verdict, what was shown, and every check in words. */
export function result(frame: Frame, check: Check): Html {
  const t = deskTexts[frame.language]
  const { name, tone } = verdictOf(check)
  const defects = (check.error?.details ?? []).map(({ message }) => html`<li lang="en">${message}</li>`)
  return html`<div class="stack"><div class="verdict ${tone}" role="status"><b>${t.verdicts[name]}</b><p>${t.says[name]}</p></div>
${defects.length > 0 && html`<ul class="list">${defects}</ul>`}${check.credentials.map((one) => shown(frame, t, one))}</div>`
}

function shown(
  frame: Frame,
  t: DeskTexts,
  { attributes, issuer, issues, isValid, name }: Check['credentials'][number],
): Html {
  const claims = Object.entries(attributes).flatMap(([key, value]) => leaves(key, value))
  const areas = Object.entries(t.checked).map(([area, text]) => {
    const wrong = issues.some(({ code }) => code.startsWith(`${area}.`) && !warnings.has(code))
    return [text, wrong ? t.wrong : t.right] as const
  })
  const notes = issues.map(({ code, message }) => html`<li lang="en">${message}<br><code>${code}</code></li>`)
  return html`<section class="panel"><header><h2>${name ?? frame.t.menu.credentials}</h2></header>${facts([...claims.map(([key, value]) => [key.replaceAll('_', ' '), value] as const), [t.from, issuer ?? frame.t.none]])}
<div class="inside">${notes.length > 0 && html`<ul class="list" aria-label="${t.warning}">${notes}</ul>`}<details${!isValid && html` open`}><summary>${t.checks}</summary>${facts(areas)}</details></div></section>`
}

/** Claims as lines; parts of an object are lines of their own. */
function leaves(key: string, value: Json): (readonly [string, string])[] {
  if (Array.isArray(value)) return [[key, value.map(String).join(', ')]]
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([inner, one]) => leaves(inner, one))
  return [[key, String(value)]]
}
