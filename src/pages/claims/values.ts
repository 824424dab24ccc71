import type { Language } from '../../contract/languages.ts'
import type { CredentialDisplay } from '../../contract/wallet/card-display.ts'
import { isJsonObject, type Json } from '../../crypto/json.ts'
import { dateFormat, numberFormat } from '../../memory/formats.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { type Html, html } from '../html.ts'
import { catalogue, type TextsIn } from '../messages/catalogue.ts'
import en from '../messages/en/holder/values.json' with { type: 'json' }
import { claimNumber } from '../moment-text.ts'

const valueTexts = catalogue('holder/values', en, {
  data: ['characters'],
  unseen: ['characters'],
  whole: ['characters'],
  more: ['count'],
  beginning: ['characters'],
})

/** Of a longer text the beginning is shown, and the rest is folded away. */
const OPEN_CHARS = 300
/** So many entries of an array or object are shown, and the rest is folded away. */
const OPEN_ENTRIES = 20
/** Entries of a list in one line. */
const ENTRY_CHARS = 60
/** No label has a longer path. */
const PATH_CHARS = 1000
/** A longer text without spaces is not read but compared: a picture, a key. */
const DATA_CHARS = 1000
const DATE = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/

/**
 * How a value is shown. `folded`: what is long opens without a script. `open`: whole. `printed`: as `open`, but of data
 * only the beginning, which is said: on paper nobody reads it.
 */
export type Showing = 'folded' | 'open' | 'printed'

/** The names that an issuer gives to what is inside a value, and the path of the value. */
type Named = { readonly labels: CredentialDisplay['labels']; readonly path: string }

/**
 * Returns a value whole, also where it is long or nested: names of members stay, in words; without direction
 * characters; dates in the language of the page. The time that it takes is proportional to the length of the value; the
 * caller bounds that.
 */
export function shownValue(value: Json, language: Language, showing: Showing = 'folded', named?: Named): Html {
  const t = valueTexts[language]
  const labels = new Map(named?.labels.map(({ path, name }) => [path, name]))
  const show = (one: Json, path: string): Html => {
    if (typeof one === 'string') return shownText(one, language, showing)
    if (Array.isArray(one) && one.length > 0) {
      if (isLine(one)) return html`${one.map((each) => valueText(each, language)).join(', ')}`
      const entries = one.map((each: Json) => html`<li>${show(each, stepped(path, null))}</li>`)
      return folded(t, language, showing, entries, (some) => html`<ul class="inner">${some}</ul>`)
    }
    if (isJsonObject(one) && Object.keys(one).length > 0) {
      const entries = Object.entries(one).map(([name, each]) => {
        const inside = stepped(path, name)
        const label = labels.get(`${inside}]`)
        const shown = label === undefined ? claimHeading(name, language, showing) : html`${label}`
        return html`<div><dt>${shown}</dt><dd>${show(each, inside)}</dd></div>`
      })
      return folded(t, language, showing, entries, (some) => html`<dl class="inner">${some}</dl>`)
    }
    return html`${valueText(one, language)}`
  }
  return show(value, named?.path.slice(0, -1) ?? '')
}

/** The path of a value inside, as labels have it but for its end; empty where it is longer than that of any label. */
function stepped(path: string, step: string | null): string {
  return path === '' || path.length > PATH_CHARS ? '' : `${path},${JSON.stringify(step)}`
}

/** Returns a name that stands in a card: a short one in words, a long one as it is. */
export function claimHeading(name: string, language: Language, showing: Showing = 'folded'): Html {
  return name.length <= ENTRY_CHARS ? html`${claimInWords(name) ?? '–'}` : shownText(name, language, showing)
}

/** `family_name` as `Family name`; null for what nobody sees. */
export function claimInWords(name: string): string | null {
  const text = foreignText(name.replaceAll(/[_-]+/g, ' '), ENTRY_CHARS)
  return text === null ? null : text.charAt(0).toLocaleUpperCase() + text.slice(1)
}

/**
 * Returns a value as one short text: cut, and of an array or object the values alone. For where the whole value is one
 * step away.
 */
export function valueText(value: Json, language: Language): string {
  const t = valueTexts[language]
  if (typeof value === 'boolean') return value ? t.yes : t.no
  if (typeof value === 'number') return claimNumber(value, language)
  if (value === null) return '–'
  if (typeof value !== 'string') {
    const texts = valuesIn(value, OPEN_ENTRIES + 1).map((one) => valueText(one, language))
    return texts.length > OPEN_ENTRIES ? `${texts.slice(0, OPEN_ENTRIES).join(', ')} …` : texts.join(', ') || '–'
  }
  return dateText(value, language) ?? (isData(value) ? t.data(count(value.length, language)) : cutText(value, language))
}

function cutText(value: string, language: Language): string {
  const shown = foreignText(value, OPEN_CHARS)
  if (shown !== null || value === '') return shown ?? '–'
  return foreignText(value, value.length) === null ? valueTexts[language].unseen(count(value.length, language)) : '…'
}

function shownText(value: string, language: Language, showing: Showing): Html {
  const t = valueTexts[language]
  const short = valueText(value, language)
  if (value.length <= OPEN_CHARS || dateText(value, language) !== null) return html`${short}`
  const whole = foreignText(value, value.length)
  const characters = count(value.length, language)
  if (whole === null) return html`${t.unseen(characters)}`
  if (showing === 'printed' && isData(value))
    return html`<p>${short}</p>
    <p class="whole">${whole.slice(0, OPEN_CHARS)}…</p>
    <p class="hint">${t.beginning(characters)}</p>`
  if (showing !== 'folded') return html`<p class="whole">${whole}</p>`
  return html`<p>${short}</p><details><summary>${t.whole(characters)}</summary><p class="whole">${whole}</p></details>`
}

/** The first entries, and the rest folded away. */
function folded(
  t: ValueTexts,
  language: Language,
  showing: Showing,
  entries: readonly Html[],
  list: (some: readonly Html[]) => Html,
): Html {
  if (showing !== 'folded' || entries.length <= OPEN_ENTRIES) return list(entries)
  const rest = entries.slice(OPEN_ENTRIES)
  const more = t.more(count(rest.length, language))
  return html`${list(entries.slice(0, OPEN_ENTRIES))}<details><summary>${more}</summary>${list(rest)}</details>`
}

/** Whether the entries of an array stand in one line. */
function isLine(entries: readonly Json[]): boolean {
  const isShort = (one: Json) =>
    typeof one === 'string' ? one.length <= ENTRY_CHARS : one === null || typeof one !== 'object'
  return entries.length <= OPEN_ENTRIES && entries.every(isShort)
}

function isData(value: string): boolean {
  return value.length > DATA_CHARS && !/\s/.test(value)
}

function dateText(value: string, language: Language): string | null {
  if (value.length > 40 || !(DATE.test(value) || MOMENT.test(value))) return null
  const at = new Date(value)
  const time = MOMENT.test(value) ? ({ timeStyle: 'short' } as const) : {}
  if (Number.isNaN(at.getTime())) return null
  return dateFormat(language, { dateStyle: 'long', timeZone: 'UTC', ...time }).format(at)
}

/** At most so many values of an array or object, whatever is inside. */
function valuesIn(value: Json, most: number): Json[] {
  if (typeof value !== 'object' || value === null) return [value]
  const found: Json[] = []
  for (const one of Object.values(value)) {
    if (found.length >= most) break
    found.push(...valuesIn(one, most - found.length))
  }
  return found
}

const count = (number: number, language: Language) => numberFormat(language, {}).format(number)

type ValueTexts = TextsIn<typeof valueTexts>
