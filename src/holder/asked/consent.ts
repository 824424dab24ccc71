import { hidden } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Language } from '../../pages/language.ts'
import { duration } from '../../pages/moment.ts'
import { moment } from '../../pages/moment-text.ts'
import { button, buttonLink, cut, message } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { Display, Verifier } from '../cards/api-types.ts'
import { issuerName } from '../cards/card.ts'
import { nameOf, valueText } from '../cards/claims.ts'
import { verifierName } from '../cards/verifier-name.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import {
  type Asked,
  type AskedMeta,
  type Chosen,
  type ClaimsPreview,
  chosenOf,
  type Instead,
  writeInstead,
} from './choice.ts'
import { type AskedTexts, askedTexts } from './texts.ts'

/** A pending request with the tag of what is shown. */
export type Opened = { readonly data: Asked; readonly meta: AskedMeta; readonly etag: string }

/** What the person saw before, where it has changed since. */
type Seen = readonly string[] | null

/** Returns the page on which a person decides: who, why, how long; what leaves with its values, what stays; from which card. */
export function consentPage(frame: Frame, { data, meta, etag }: Opened, wanted: Instead, seen: Seen): Screen {
  const t = askedTexts[frame.language]
  const chosen = chosenOf(meta, wanted)
  const { instead } = chosen
  const who = verifierName(meta.verifier)
  const count = chosen.shown.flatMap(({ disclosed }) => disclosed).length
  if (chosen.shown.length === 0) return nothingFits(frame, t, data, meta, who)
  const names = disclosedNames(meta, chosen)
  const content = html`${hidden('etag', etag)}${hidden('use', writeInstead(instead))}${hidden('seen', JSON.stringify(names))}
${chosen.shown.map((one) => shared(frame, t, { data, meta }, one, instead))}${transactions(t, meta)}${meta.needsConfirmation === true && html`<p class="hint">${t.confirmFirst}</p>`}
<div class="buttons decide">${button(meta.verifier.authenticated ? t.share(count, who) : t.shareAnyway, { look: 'main', name: 'answer', value: 'answered' })}${button(t.refuse, { name: 'answer', value: 'rejected' })}</div>`
  const main = html`${seen !== null && changes(t, seen, names)}${about(frame, t, meta)}${form(frame, `/me/asked/${data.id}`, content)}`
  return { title: t.title(who, count), main, ...(seen !== null && { hasErrors: true, status: 412 }) }
}

/** Returns the names of what would be shared, with the name of the card: by them a person sees what changed. */
function disclosedNames({ credentials = {} }: AskedMeta, { shown }: Chosen): string[] {
  return shown.flatMap(({ credentialId, disclosed }) => {
    const look = credentials[credentialId]?.display
    return disclosed.map(({ path }) => [look?.name, nameOf(look?.labels ?? [], path)].filter(Boolean).join(' · '))
  })
}

function changes(t: AskedTexts, seen: readonly string[], names: readonly string[]): Html {
  const newly = names.filter((one) => !seen.includes(one))
  const gone = seen.filter((one) => !names.includes(one))
  const list = html`${newly.length > 0 && html`<p>${t.newly(newly.join(', '))}</p>`}${gone.length > 0 && html`<p>${t.gone(gone.join(', '))}</p>`}`
  return message('bad', t.changed, list)
}

/** The verifier, its purpose, and how long it keeps the values. @param isEnded The verifier is not named in the title, and nothing expires any more. */
export function about(
  { language, params }: Pick<Frame, 'language' | 'params'>,
  t: AskedTexts,
  meta: AskedMeta,
  isEnded = false,
): Html {
  const { verifier, purpose, retentionSeconds, expiresAt } = meta
  const [trust, tone] = trustOf(verifier)
  const calls = verifier.statedName
  const isOther = calls !== undefined && calls !== verifierName(verifier)
  const [letter = '–'] = verifierName(verifier)
  const logo =
    meta.hasLogo === true
      ? html`<img class="logo" src="/me/asked/${params.id ?? ''}/logo" alt="" width="48" height="48">`
      : html`<i class="logo" aria-hidden="true">${letter.toLocaleUpperCase()}</i>`
  const name = isEnded && verifierName(verifier) !== verifier.responseHost && html`<b>${verifierName(verifier)}</b> `
  return html`<div class="who">${logo}<p>${name}${badge(t.trust[trust], tone)} <span>${verifier.responseHost}</span></p>${isOther && html`<p>${t.calls(foreignText(calls, 100) ?? '')}</p>`}</div>${!verifier.authenticated && message('warn', t.unproved)}
<section class="stack tight"><h2>${t.why}</h2><p>${purpose === undefined ? t.noWhy : t.quoted(foreignText(purpose, 600) ?? '')}</p><p class="hint">${retentionSeconds === undefined ? t.keptUnknown : t.kept(long(retentionSeconds, language))} ${!isEnded && html`${t.expires} ${moment(expiresAt, language)}.`}</p></section>`
}

function trustOf({
  own,
  trusted,
  authenticated,
}: Verifier): readonly [keyof AskedTexts['trust'], 'ok' | 'warn' | 'bad'] {
  if (!authenticated) return ['unproved', 'bad']
  if (own === true) return ['own', 'ok']
  return trusted ? ['known', 'ok'] : ['unknown', 'warn']
}

function long(seconds: number, language: Language): string {
  const days = Math.round(seconds / 86_400)
  if (days < 1) return duration(seconds, language)
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days)
}

type Whole = Pick<Opened, 'data' | 'meta'>

function shared(frame: Frame, t: AskedTexts, { data, meta }: Whole, one: ClaimsPreview, instead: Instead): Html {
  const look = meta.credentials?.[one.credentialId]?.display
  const labels = look?.labels ?? []
  const leaves = inOrder(one.disclosed, labels, ({ path }) => path).map(({ path, value, isRequested }) => {
    const name = html`${nameOf(labels, path)}${!isRequested && html`<br><span class="hint">${t.always}</span>`}`
    return html`<div><dt>${name}</dt><dd>${valueText(value, frame.language, t)}</dd></div>`
  })
  const stays = inOrder(one.withheld, labels, (path) => path).map(
    (path) => html`<div><dt>${nameOf(labels, path)}</dt><dd>${t.notShared}</dd></div>`,
  )
  const from = html`${t.fromCard} <b>${look?.name ?? t.unnamed}</b>${look !== undefined && html` ${t.of} ${issuerName(look)}`}`
  return html`<section class="card consent"><h2>${t.see}</h2><p class="hint">${from}</p>${others(t, data, meta, one, instead)}<dl class="facts">${leaves}</dl>
${cut()}<h2>${t.stays}</h2>${stays.length === 0 ? html`<p class="hint">${t.staysNothing}</p>` : html`<dl class="facts stays">${stays}</dl>`}</section>`
}

/** In the order in which the issuer lists its claims. */
function inOrder<T>(all: readonly T[], labels: Display['labels'], pathOf: (one: T) => string): T[] {
  const order = new Map(labels.map(({ path }, index) => [path, index]))
  const rank = (one: T) => order.get(pathOf(one)) ?? labels.length
  return all.toSorted((one, other) => rank(one) - rank(other))
}

function others(t: AskedTexts, data: Asked, meta: AskedMeta, one: ClaimsPreview, instead: Instead): Html | null {
  const query = meta.alternatives.find(({ queryId }) => queryId === one.queryId)
  const ids = (query?.credentials ?? []).map(({ credentialId }) => credentialId).filter((id) => id !== one.credentialId)
  if (ids.length === 0) return null
  const links = ids.slice(0, 50).map((id) => {
    const use = writeInstead(new Map([...instead, [one.queryId, id]]))
    const details = meta.credentials?.[id]
    const look = details?.display
    const name = look === undefined ? t.unnamed : `${look.name ?? t.unnamed}, ${issuerName(look)}`
    return html`<li><a href="/me/asked/${data.id}?${new URLSearchParams({ use }).toString()}">${t.use(name)}</a> <span class="hint">${details?.receivedAt.slice(0, 10)}</span></li>`
  })
  return html`<details><summary>${t.another}</summary><ul class="list">${links}</ul></details>`
}

function transactions(t: AskedTexts, { transactionData = [] }: AskedMeta): Html | null {
  if (transactionData.length === 0) return null
  const entries = transactionData.map(({ content }) => html`<pre>${foreignText(JSON.stringify(content), 2000)}</pre>`)
  return html`<section class="card"><h2>${t.transaction}</h2>${entries}</section>`
}

function nothingFits(frame: Frame, t: AskedTexts, data: Asked, meta: AskedMeta, who: string): Screen {
  const types = (meta.unmatched ?? []).flatMap((one) => one.types)
  const missing =
    types.length > 0 &&
    html`<section class="stack tight"><h2>${t.missing}</h2><ul class="list">${types.map((one) => html`<li><code>${foreignText(one, 200)}</code></li>`)}</ul></section>`
  const refuse = form(
    frame,
    `/me/asked/${data.id}`,
    html`<div class="buttons decide">${button(t.refuse, { name: 'answer', value: 'rejected' })}${buttonLink(t.cards, '/me')}</div>`,
  )
  return {
    title: t.titleNone(who),
    main: html`${message('warn', t.nothing)}${about(frame, t, meta)}${missing}${refuse}`,
  }
}
