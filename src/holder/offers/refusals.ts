import { isJsonObject } from '../../crypto/json.ts'
import { html } from '../../pages/html.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { buttonLink, message } from '../../pages/parts.ts'
import { type Frame, reasons, type Screen } from '../frame/screen.ts'
import { type OfferTexts, offerTexts } from './texts.ts'

type Told =
  | 'ended'
  | 'locked'
  | 'malformed'
  | 'untrusted'
  | 'lies'
  | 'away'
  | 'full'
  | 'format'
  | 'request'
  | 'refusedVerifier'

const statuses: Readonly<Record<Told, number>> = {
  ...{ ended: 410, locked: 410, malformed: 404, untrusted: 403, lies: 502, away: 504, full: 409, format: 422 },
  ...{ request: 410, refusedVerifier: 403 },
}

/** Returns the page about an offer or request that the wallet refused: what happened, and what to do. Rethrows what is no such refusal. */
export function toldRefusal(frame: Frame, error: unknown, kind: 'offer' | 'request'): Screen {
  const told = error instanceof ApiRefusal ? toldOf(error, kind) : null
  if (!(error instanceof ApiRefusal) || told === null) throw error
  const t = offerTexts[frame.language]
  const isRepeatable = told === 'away'
  // One of the pairs of the table.
  const [title, advice] = t[told] as OfferTexts['ended']
  const main = html`${message('bad', advice ?? '')}
<p class="buttons">${isRepeatable && frame.here.startsWith('/open') && buttonLink(t.again, frame.here)}${buttonLink(t.back, '/me')}${buttonLink(t.scanTitle, '/me/scan')}</p>${reasons(frame.t, error.errors)}
<p class="hint">${frame.texts.errorId} <copy-text label="${frame.texts.copy}" done="${frame.texts.copied}"><code>${error.id}</code></copy-text></p>`
  return { title: title ?? '', main, hasErrors: true, status: statuses[told], modules: ['copy-text'] }
}

function toldOf(refusal: ApiRefusal, kind: 'offer' | 'request'): Told | null {
  const { status, errors } = refusal
  const [first] = errors
  const text = `${first?.detail ?? ''} ${first?.title ?? ''}`
  if (status >= 502 || first?.code === 'UPSTREAM_ERROR' || first?.code === 'TIMEOUT') return 'away'
  if (kind === 'request') {
    if (/organisation (accepts only|has registered)/.test(text)) return 'refusedVerifier'
    return status === 422 || status === 409 || status === 400 ? 'request' : null
  }
  const byCode: Readonly<Record<string, Told>> = {
    UNTRUSTED_ISSUER: 'untrusted',
    UNSUPPORTED_FORMAT: 'format',
    CREDENTIAL_INVALID: 'lies',
    INVALID_STATE: 'full',
    VALIDATION_ERROR: 'malformed',
  }
  if (first?.code !== 'OFFER_UNUSABLE') return byCode[first?.code ?? ''] ?? null
  if (/not a usable credential offer|not well-formed|offer is malformed/.test(text)) return 'malformed'
  if (codeProblemOf(refusal)?.triesLeft === 0) return 'locked'
  return /metadata|response of the issuer|issuer sends|token covers/.test(text) ? 'lies' : 'ended'
}

/** What a refusal says about the transaction code: that it may be wrong, and how many tries are left, if the issuer says that. */
export function codeProblemOf({ errors }: ApiRefusal): { readonly triesLeft: number | null } | null {
  const said = errors[0]?.meta?.txCode
  if (!isJsonObject(said)) return null
  return { triesLeft: typeof said.triesLeft === 'number' ? said.triesLeft : null }
}
