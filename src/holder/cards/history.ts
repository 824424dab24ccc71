import type { Language } from '../../contract/languages.ts'
import { claimName } from '../../pages/claims/claims.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { badge, type Tone } from '../../pages/table.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { Frame } from '../frame/screen.ts'
import type { Display, HistoryEntry } from './api-types.ts'
import { issuerName } from './card.ts'
import type { CardTexts } from './texts.ts'
import { verifierName } from './verifier-name.ts'

type Looks = Readonly<Record<string, Display>>

const tones: Partial<Record<HistoryEntry['status'], Tone>> = {
  accepted: 'ok',
  answered: 'ok',
  active: 'ok',
  failed: 'warn',
}

/** Returns entries of the history as a list: who, when, what left by name. */
export function historyList(frame: Frame, t: CardTexts, entries: readonly HistoryEntry[], looks: Looks): Html {
  return html`<ul class="rows past">${entries.map((one) => html`<li>${entryOf(frame, t, one, looks)}</li>`)}</ul>`
}

function entryOf({ language, me }: Frame, t: CardTexts, entry: HistoryEntry, looks: Looks): Html {
  const { id, kind, status, createdAt, updatedAt, presentation, credential, sharedLink } = entry
  const isUnconfirmed = status === 'pending' && presentation?.disclosed === 'unknown'
  const state = isUnconfirmed ? badge(t.unconfirmed, 'warn') : badge(t.history[status], tones[status] ?? 'plain')
  const { timeZone } = me.organisation
  const when = html`<span>${moment(updatedAt, language, timeZone)}</span>`
  if (sharedLink !== undefined) {
    const made = html`<span>${moment(createdAt, language, timeZone)}</span>`
    return html`<div>${linkOf({ language, timeZone }, t, id, sharedLink, looks)}${made}</div>${state}`
  }
  if (kind === 'credential' || presentation === undefined) {
    const look = looks[id]
    const name = look?.name ?? t.unnamed
    const title = status === 'removed' ? t.got(name) : html`<a href="/me/cards/${id}">${t.got(name)}</a>`
    const issuer = look === undefined ? (URL.parse(credential?.credentialIssuer ?? '')?.host ?? '') : issuerName(look)
    return html`<div><b>${title}</b><span>${t.from} ${issuer}</span>${when}</div>${state}`
  }
  const { verifier, disclosed, selectedCredentials } = presentation
  const saw = disclosed === 'no' ? [] : selectedCredentials.flatMap((one) => namesOf(one, looks[one.credentialId]))
  const seen = saw.length > 0 && html`<span>${(disclosed === 'unknown' ? t.maybeSaw : t.saw)(saw.join(', '))}</span>`
  return html`<div><b><a href="/me/asked/${id}">${t.with(verifierName(verifier))}</a></b>${seen}${when}</div>${state}`
}

/** A link: for whom, what it shows by name, and when it was opened. */
function linkOf(
  { language, timeZone }: { readonly language: Language; readonly timeZone: string },
  t: CardTexts,
  id: string,
  { credentialId, recipient, claims, views, viewsByHour }: NonNullable<HistoryEntry['sharedLink']>,
  looks: Looks,
): Html {
  const names = namesOf({ matchedAttributes: claims, alsoDisclosed: [] }, looks[credentialId])
  const hours = viewsByHour.map(
    (one) => html`<li>${moment(one.hour, language, timeZone)}: ${t.linkHour(one.views)}</li>`,
  )
  const opened =
    hours.length === 0
      ? html`<span>${t.linkViews(views)}</span>`
      : html`<details><summary>${t.linkViews(views)}</summary><ul class="list">${hours}</ul></details>`
  return html`<b><a href="/me/links/${id}">${t.linkFor(foreignText(recipient, 200) ?? '–')}</a></b>
  <span>${t.linkShows(names.join(', '))}</span>${opened}`
}

type Shared = { readonly matchedAttributes: readonly string[]; readonly alsoDisclosed: readonly string[] }

/** Returns the names of what was shared of a card. */
export function namesOf({ matchedAttributes, alsoDisclosed }: Shared, look: Display | undefined): string[] {
  const names = [...matchedAttributes, ...alsoDisclosed].map((path) => claimName(look?.labels ?? [], pathOf(path)))
  return [...new Set(names)]
}

/** Dotted paths of the history as the labels have them: `clubs[]` is a path with null at its end. */
function pathOf(dotted: string): string {
  const element = /^(.+)\/([^/]+)$/.exec(dotted)
  if (element !== null) return JSON.stringify(element.slice(1))
  const steps = dotted.split('.').flatMap((step) => (step.endsWith('[]') ? [step.slice(0, -2), null] : [step]))
  return JSON.stringify(steps)
}
