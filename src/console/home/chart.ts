import type { ReplyOf } from '../../contract/api-operation.ts'
import type { statistics } from '../../contract/events/statistics.ts'
import type { Language } from '../../contract/languages.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { table } from '../../pages/table.ts'
import type { HomeTexts } from './texts.ts'

/** Counts of a template in a month, or on a day. By what the statistics are not grouped is absent. */
export type ChartRow = {
  readonly month?: string
  readonly day?: string
  readonly templateId?: string
  readonly templateName?: string
  readonly [metric: string]: string | number | undefined
}
/** The statistics, as the API returns them. */
export type Statistics = ReplyOf<typeof statistics.get>

const BARS_MAX = 31
/**
 * From bar to bar, between two of them, and the height of the highest, in units of the drawing. The style sheet chooses
 * its size.
 */
const [STEP, GAP, HEIGHT] = [10, 1, 100]

/** Returns the sum of a metric. */
export function sumOf(rows: readonly ChartRow[], metric: string): number {
  return rows.reduce((total, one) => total + Number(one[metric] ?? 0), 0)
}

/** Returns the days or months of the statistics; null: all of them are empty. */
function barsOf({ from, until, issuances }: Statistics): (readonly [at: string, value: number])[] {
  const isByDay = from.length > 7
  const bars: (readonly [string, number])[] = []
  for (let at = new Date(isByDay ? `${from}T00:00:00Z` : `${from}-01T00:00:00Z`); bars.length < BARS_MAX; ) {
    const name = at.toISOString().slice(0, isByDay ? 10 : 7)
    const rows = issuances.filter((one) => (isByDay ? one.day : one.month) === name)
    bars.push([name, sumOf(rows, 'completed')])
    if (name === until) break
    if (isByDay) at.setUTCDate(at.getUTCDate() + 1)
    else at.setUTCMonth(at.getUTCMonth() + 1)
  }
  return bars
}

/**
 * Returns the credentials taken, as bars drawn by the server with the table behind them; nothing if there are none.
 *
 * @param more Beside the heading.
 */
export function chartOf(
  t: HomeTexts,
  language: Language,
  statistics: Statistics,
  more: Html | null = null,
): Html | null {
  const bars = barsOf(statistics)
  const isByDay = statistics.from.length > 7
  if (bars.every(([, value]) => value === 0)) return null
  const most = Math.max(1, ...bars.map(([, value]) => value))
  const name = nameOf(language, isByDay)
  const drawn = bars.map(([, value], index) => {
    const height = Math.max(1, Math.round((HEIGHT * value) / most))
    return html`<rect x="${index * STEP + GAP / 2}" y="${HEIGHT - height}"
      width="${STEP - GAP}" height="${height}"></rect>`
  })
  // Of days, each fifth has its number.
  const labels = bars.map(([at], index) => html`<span>${(!isByDay || index % 5 === 0) && name(at, 'narrow')}</span>`)
  const columns = [
    { heading: isByDay ? t.day : t.month, cell: ([at]: readonly [string, number]) => name(at, 'long') },
    { heading: t.taken, cell: ([, value]: readonly [string, number]) => figure(value, language), isFigure: true },
  ]
  const heading = isByDay ? t.byDay : t.byMonth
  return html`<section class="panel">
    <header><h2>${heading}</h2>${more}</header>
    <div class="inside">
      <div class="chart" aria-hidden="true">
        <svg viewBox="0 0 ${bars.length * STEP} ${HEIGHT}" preserveAspectRatio="none">${drawn}</svg>
        <p>${labels}</p>
      </div>
      <details><summary>${t.table}</summary>${table(heading, columns, bars)}</details>
    </div>
  </section>`
}

function nameOf(language: Language, isByDay: boolean) {
  const zone = { timeZone: 'UTC' } as const
  const narrow = isByDay ? ({ day: 'numeric', ...zone } as const) : ({ month: 'narrow', ...zone } as const)
  const long = isByDay
    ? ({ dateStyle: 'long', ...zone } as const)
    : ({ month: 'long', year: 'numeric', ...zone } as const)
  const formats = {
    narrow: new Intl.DateTimeFormat(language, narrow),
    long: new Intl.DateTimeFormat(language, long),
  }
  return (at: string, style: keyof typeof formats) =>
    formats[style].format(new Date(isByDay ? `${at}T00:00:00Z` : `${at}-01T00:00:00Z`))
}
