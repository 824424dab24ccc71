import type { Caller } from '../caller.ts'
import {
  issuanceMetrics,
  presentationMetrics,
  type StatisticsQuery,
  type StatisticsReply,
} from '../contract/events/statistics.ts'
import { type Origins, readCounts } from '../events/counts/count-events.ts'
import { type Count, dayOf } from '../events/counts/metric.ts'
import { Fault } from '../fault.ts'
import { endsOfCredentials, namesOfTemplates, templatesOfIssuances } from '../issuance/issuances/origins.ts'
import type { Platform } from '../platform.ts'
import { namesOfPresentationTemplates, templatesOfRequests } from '../verification/requests/origins/origins.ts'

const MONTHS = 12
const MONTHS_MAX = 60
const MONTH_LENGTH = 7
const DAYS = 30
const DAYS_MAX = 92
const DAY_MS = 86_400_000

/** What counting reads of issuances and presentation requests. */
export const origins: Origins = {
  templatesOf: async (tx, events) =>
    new Map([...(await templatesOfIssuances(tx, events)), ...(await templatesOfRequests(tx, events))]),
  endsOf: endsOfCredentials,
}

/**
 * Counts the events of the issuances and presentation requests of a tenant by template and month, or day. The result
 * has no personal data.
 *
 * @returns `asOf`: every event until then is counted.
 * @throws Fault `request.invalid` if the range is in the wrong order or too long, or not in months or days as the
 *   granularity
 */
export async function readStatistics(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId }: Caller,
  query: StatisticsQuery,
): Promise<{ readonly data: StatisticsReply; readonly asOf: string }> {
  const now = clock.now()
  const by = query.granularity ?? 'month'
  const { from, until } = by === 'day' ? daysOf(query, now) : rangeOf(query, now)
  const templateId = query['filter[templateId]'] ?? null
  const range = by === 'day' ? { from, until } : { from: `${from}-01`, until: `${until}-01` }
  const group = query.group ?? 'both'
  const { counts, countedUntil } = await readCounts({ store }, tenantId, { by, group, ...range, templateId }, origins)
  const ids = group === 'time' ? [] : [...new Set(counts.map(({ templateId }) => templateId))]
  const names = await store.inTenant(
    tenantId,
    async (tx) => new Map([...(await namesOfTemplates(tx, ids)), ...(await namesOfPresentationTemplates(tx, ids))]),
  )
  const data = {
    from,
    until,
    issuances: tableOf(by, counts, names, 'issuance', issuanceMetrics),
    presentations: tableOf(by, counts, names, 'presentation', presentationMetrics),
  }
  return { data, asOf: (countedUntil ?? now).toISOString() }
}

/**
 * One row for each month, or day, and template that has an event of the kind; without the one by which the counts are
 * not grouped.
 */
function tableOf<const F extends string>(
  by: 'month' | 'day',
  counts: readonly Count[],
  names: ReadonlyMap<string, string>,
  kind: 'issuance' | 'presentation',
  metrics: readonly F[],
) {
  const ours = counts.filter(({ figure }) => figure.startsWith(`${kind}.`))
  const rows = Map.groupBy(ours, ({ day, templateId }) => `${day} ${templateId}`)
  return [...rows.values()]
    .flatMap((row) => {
      const [first] = row
      if (first === undefined) return []
      const { day, templateId } = first
      const number = (name: F) =>
        row.reduce((sum, one) => (one.figure === `${kind}.${name}` ? sum + one.count : sum), 0)
      // The members were just made from the names.
      const numbers = Object.fromEntries(metrics.map((name) => [name, number(name)])) as { [K in F]: number }
      const templateName = names.get(templateId) ?? ''
      const at = { ...(day !== '' && { month: day.slice(0, 7) }), ...(by === 'day' && day !== '' && { day }) }
      const of = { ...(templateId !== '' && { templateId, templateName }) }
      return [{ place: `${day} ${templateName} ${templateId}`, shown: { ...at, ...of, ...numbers } }]
    })
    .sort((one, other) => (one.place < other.place ? -1 : 1))
    .map(({ shown }) => shown)
}

function daysOf(query: StatisticsQuery, now: Date): { from: string; until: string } {
  const until = query['filter[until]'] ?? dayOf(now)
  const from = query['filter[from]'] ?? dayOf(new Date(Date.parse(until) - (DAYS - 1) * DAY_MS))
  for (const [parameter, day] of [
    ['filter[from]', from],
    ['filter[until]', until],
  ] as const) {
    // `2026-02-30` is read as a day of March.
    const time = Date.parse(`${day}T00:00:00Z`)
    if (Number.isNaN(time) || dayOf(new Date(time)) !== day)
      throw invalidRange('With granularity=day this is a day, e.g. `2026-01-31`.', parameter)
  }
  const days = (Date.parse(until) - Date.parse(from)) / DAY_MS + 1
  if (days < 1) throw invalidRange('filter[from] is after filter[until], which is today by default.')
  if (days > DAYS_MAX) throw invalidRange(`The range has more than ${DAYS_MAX} days.`)
  return { from, until }
}

function rangeOf(query: StatisticsQuery, now: Date): { from: string; until: string } {
  const until = query['filter[until]'] ?? now.toISOString().slice(0, 7)
  if (until.length > MONTH_LENGTH) throw invalidRange('This is a month, e.g. `2026-01`.', 'filter[until]')
  const from = query['filter[from]'] ?? monthOf(numberOf(until) - MONTHS + 1)
  if (from.length > MONTH_LENGTH) throw invalidRange('This is a month, e.g. `2026-01`.')
  const months = numberOf(until) - numberOf(from) + 1
  if (months < 1) throw invalidRange('filter[from] is after filter[until], which is the current month by default.')
  if (months > MONTHS_MAX) throw invalidRange(`The range has more than ${MONTHS_MAX} months.`)
  return { from, until }
}

function invalidRange(detail: string, parameter = 'filter[from]'): Fault {
  return new Fault('request.invalid', { violations: [{ detail, parameter }] })
}

/** Months since the year 0. */
function numberOf(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1
}

function monthOf(number: number): string {
  const positive = Math.max(number, 0)
  return `${String(Math.floor(positive / 12)).padStart(4, '0')}-${String((positive % 12) + 1).padStart(2, '0')}`
}
