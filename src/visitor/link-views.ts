import type { Language } from '../contract/languages.ts'
import type { PresentationCheck } from '../contract/verification/presentation-checks.ts'
import type { CredentialDisplay } from '../contract/wallet/card-display.ts'
import type { SharedPresentation } from '../contract/wallet/card-links.ts'
import { memberOf } from '../crypto/json.ts'
import { linesOf, shownPath } from '../pages/claims/claims.ts'
import { shownValue } from '../pages/claims/values.ts'
import { type Html, html } from '../pages/html.ts'
import { moment } from '../pages/moment-text.ts'
import { buttonLink, card, facts } from '../pages/parts.ts'
import { badge, type Tone } from '../pages/table.ts'
import { foreignText } from '../protocols/foreign-text.ts'
import { type LinkTexts, linkTexts } from './link-texts.ts'

const TEXT_CHARS = 500

type Verdict = keyof LinkTexts['verdicts']

const tones: Readonly<Record<Verdict, 'ok' | 'warn' | 'bad'>> = {
  valid: 'ok',
  stranger: 'warn',
  revoked: 'bad',
  suspended: 'warn',
  expired: 'warn',
  early: 'warn',
  unknown: 'warn',
  invalid: 'bad',
}

/** What one issue alone means; with any other failure beside it, the card is not valid. */
const verdictOfIssue: Readonly<Record<string, Verdict>> = {
  'status.revoked': 'revoked',
  'status.suspended': 'suspended',
  'status.unavailable': 'unknown',
  'issuer.unavailable': 'unknown',
  'validity.expired': 'expired',
  'validity.early': 'early',
}

/** Returns the outcome of a check as one word. */
function verdictOf({ isValid, checks, issuer }: PresentationCheck): Verdict {
  if (isValid) return issuer === null || issuer.trust === 'unknown' ? 'stranger' : 'valid'
  const failed = checks.filter(({ outcome }) => outcome === 'failed').flatMap(({ issues }) => issues)
  const [only, ...others] = [...new Set(failed.map((code) => memberOf(verdictOfIssue, code) ?? 'invalid'))]
  return others.length === 0 ? (only ?? 'invalid') : 'invalid'
}

/** Returns the verdict in words. It takes the focus, so that a screen reader says it once. */
export function verdictView(check: PresentationCheck, language: Language): Html {
  const verdict = verdictOf(check)
  const [title, text] = linkTexts[language].verdicts[verdict]
  return html`<section class="verdict ${tones[verdict]}" tabindex="-1" autofocus>
    <h2>${title}</h2>
    <p>${text}</p>
  </section>`
}

/** Returns who issued a card, and what it says. @param labels Names of the claims, as the issuer states them. */
export function contentView(check: PresentationCheck, language: Language, labels: CredentialDisplay['labels']): Html {
  const t = linkTexts[language]
  const { lines, more } = linesOf(check.claims ?? {}, labels)
  const values = lines.map(
    ({ path, value }) =>
      [shownPath(labels, path, language), shownValue(value, language, 'folded', { labels, path })] as const,
  )
  const shown = html`${facts(values)}${more > 0 && html`<p class="hint">${t.moreValues(more)}</p>`}`
  const until = check.validUntil === null ? t.noEnd : moment(check.validUntil, language)
  const from = [[t.from, issuerView(check, language)] as const, [t.validUntil, until] as const]
  return html`${card(facts(check.issuer === null ? from.slice(1) : from))}
  ${card(check.claims === null ? html`<p>${t.noValues}</p>` : shown, t.says)}`
}

function issuerView({ issuer }: PresentationCheck, language: Language): Html {
  if (issuer === null) return html`–`
  const identifier = foreignText(issuer.identifier, TEXT_CHARS) ?? '–'
  const name = foreignText(issuer.name, TEXT_CHARS)
  if (name === null) return html`<span class="whole">${identifier}</span>`
  return html`${name}<br><span class="hint whole">${linkTexts[language].proved(identifier)}</span>`
}

/** Returns who shows a card to whom, in the words of the holder. */
export function sharingView(
  { recipient, purpose, createdAt, expiresAt }: SharedPresentation,
  language: Language,
): Html {
  const t = linkTexts[language]
  const told = facts([
    [t.recipient, foreignText(recipient, TEXT_CHARS) ?? '–'],
    [t.purpose, foreignText(purpose, TEXT_CHARS) ?? '–'],
    [t.made, moment(createdAt, language)],
    [t.ends, moment(expiresAt, language)],
  ])
  return card(html`${told}<p class="hint">${t.wordsOfHolder}</p>`, t.whoTitle)
}

const outcomeTones: Readonly<Record<PresentationCheck['checks'][number]['outcome'], Tone>> = {
  passed: 'ok',
  warning: 'warn',
  failed: 'bad',
  not_asked: 'plain',
  not_checked: 'plain',
}

/** Returns each check in words. @param isFile Of a file, whose link is not known. */
export function checksView({ checks }: PresentationCheck, language: Language, now: Date, isFile: boolean): Html {
  const t = linkTexts[language]
  const items = checks.map(({ code, outcome, statusAsOf }) => {
    const name = isFile && code === 'holder_binding' ? t.checkedFile : (memberOf<string>(t.checked, code) ?? code)
    const asOf = statusAsOf !== undefined && html`<span>${t.statusAsOf} ${moment(statusAsOf, language)}</span>`
    return html`<li><div><b>${name}</b>${asOf}</div>${badge(t.outcomes[outcome], outcomeTones[outcome])}</li>`
  })
  const when = html`<p class="hint">${t.when('')}${moment(now.toISOString(), language)}</p>`
  return card(html`<ul class="rows" aria-label="${t.checks}">${items}</ul>${when}`, t.checks)
}

/** Returns how to check a card without this page. */
export function selfCheckView(downloadPath: string, checkPath: string, language: Language): Html {
  const t = linkTexts[language]
  const ways = html`<p>${t.selfText}</p>
  <p class="buttons">
    <a class="button plain" href="${downloadPath}" download="presentation.json">${t.download}</a>
    ${buttonLink(t.toCheck, checkPath)}
  </p>`
  return card(ways, t.selfTitle)
}
