import { dateFormat } from '../../memory/formats.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Language } from '../../pages/language.ts'
import { coloursOf } from '../../pages/look/credential-card.ts'
import type { Tone } from '../../pages/table.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { Credential, Details, Display } from './api-types.ts'
import { type CardTexts, cardTexts } from './texts.ts'

/** The state of a card in words, worst first. */
type CardState = keyof CardTexts['states']

const tones: Readonly<Record<CardState, Tone>> = {
  ...{
    valid: 'ok',
    expired: 'warn',
    early: 'warn',
    suspended: 'warn',
    revoked: 'bad',
    pending: 'plain',
    rejected: 'plain',
  },
}

/** Returns the state of a card at a moment, with the tone that goes with it. */
export function stateOf(
  { status }: Pick<Credential, 'status'>,
  { standing, validFrom, validUntil }: Pick<Details, 'standing' | 'validFrom' | 'validUntil'>,
  now: Date,
): { readonly state: CardState; readonly tone: Tone } {
  const listed = standing?.status ?? 'valid'
  const state: CardState =
    listed !== 'valid'
      ? listed
      : validUntil !== null && new Date(validUntil) <= now
        ? 'expired'
        : new Date(validFrom) > now
          ? 'early'
          : status === 'accepted'
            ? 'valid'
            : status
  return { state, tone: tones[state] }
}

/** What a card is drawn from. `line`: below the name. `href`: where it leads, if it is a link. */
type Face = {
  readonly id: string
  readonly display: Display
  readonly line: string
  readonly href?: string
  readonly state?: string | undefined
  readonly language: Language
  /** Our own: the host of every other issuer stands on its card, since anybody can choose a name. */
  readonly origin: string
}

/** Returns a card: issuer, logo or its first letter, name, one line. Its colours come from {@link cardRule}. */
export function cardFace({ id, display, line, href, state, language, origin }: Face): Html {
  const { issuer, name, images = [] } = display
  const who = issuerName(display)
  const host = URL.parse(issuer.identifier)?.host ?? ''
  const isForeign = !issuer.identifier.startsWith(`${origin}/`) && host !== '' && host !== who
  const logo = images.includes('logo')
    ? html`<img src="/me/cards/${id}/logo" alt="" width="48" height="48">`
    : html`<i aria-hidden="true">${(issuer.name ?? who).slice(0, 1).toLocaleUpperCase()}</i>`
  const inside = html`<span class="issuer"><span>${who}${isForeign && html`<small>${host}</small>`}</span>${logo}</span><span class="name">${state !== undefined && html`<em>${state}</em>`}<b>${name ?? cardTexts[language].unnamed}</b><span>${line}</span></span>`
  // A picture may show anything: whose it is, and what its state is, stands below it in our words.
  const drawn = html`<img class="drawn" src="/me/cards/${id}/card" alt="${name ?? cardTexts[language].unnamed}" loading="lazy"><span class="under"><span>${who}${isForeign && html` <small>${host}</small>`}</span>${state !== undefined && html`<em>${state}</em>`}</span>`
  const isDrawn = images.includes('card')
  const look = isDrawn ? 'credential picture' : 'credential'
  const content = isDrawn ? drawn : inside
  return href === undefined
    ? html`<div class="${look} card-${id}">${content}</div>`
    : html`<a class="${look} card-${id}" href="${href}">${content}</a>`
}

/** Returns the rule with the colours of a card; a text that could not be read gets another colour. */
export function cardRule(id: string, { backgroundColor, textColor, images = [] }: Display): string {
  const { back, ink } = coloursOf({ back: backgroundColor, ink: textColor })
  const picture = images.includes('background') ? `;--picture:url("/me/cards/${id}/background")` : ''
  return `.card-${id}{--card:${back};--card-ink:${ink}${picture}}`
}

/** Returns how an issuer is called: its own words, else its host. */
export function issuerName({ issuer }: Pick<Display, 'issuer'>): string {
  return issuer.name ?? foreignText(URL.parse(issuer.identifier)?.host ?? issuer.identifier, 100) ?? '–'
}

/** Returns a date in words, with the moment for machines. */
export function day(text: string, language: Language): Html {
  const shown = dateFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(text))
  return html`<time datetime="${text}">${shown}</time>`
}

/** As {@link day}, without the moment for machines. */
export function dayText(text: string, language: Language): string {
  return dateFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(text))
}
