import type { Caller } from '../caller.ts'
import { readCounts } from '../events/counts/count-events.ts'
import { type AuditEvent, type Count, issuanceMetrics, presentationMetrics } from '../events/counts/metric.ts'
import { Fault } from '../fault.ts'
import { namesOfTemplates, templatesOfIssuances } from '../issuance/issuances/origins.ts'
import type { Platform } from '../platform.ts'
import type { TenantTx } from '../store/store.ts'
import { namesOfPresentationTemplates, templatesOfRequests } from '../verification/requests/origins.ts'
import type { StatisticsQuery, StatisticsReply } from './schemas.ts'

const MONTHS = 12
const MONTHS_MAX = 60

/** Returns the template ids of the issuances and presentation requests among the subjects of events, by subject id. */
export async function templatesOf(tx: TenantTx, events: readonly AuditEvent[]): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await templatesOfIssuances(tx, events)), ...(await templatesOfRequests(tx, events))])
}

/**
 * Counts the events of the issuances and presentation requests of a tenant by template and month. The result has no personal data.
 *
 * @returns `asOf`: every event until then is counted.
 * @throws Fault `request.invalid` if the months are in the wrong order, or too many
 */
export async function readStatistics(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId }: Caller,
  query: StatisticsQuery,
): Promise<{ readonly data: StatisticsReply; readonly asOf: string }> {
  const now = clock.now()
  const { from, until } = rangeOf(query, now)
  const range = { from: `${from}-01`, until: `${until}-01`, templateId: query['filter[templateId]'] ?? null }
  const { counts, countedUntil } = await readCounts({ store }, tenantId, range, templatesOf)
  const ids = [...new Set(counts.map(({ templateId }) => templateId))]
  const names = await store.inTenant(
    tenantId,
    async (tx) => new Map([...(await namesOfTemplates(tx, ids)), ...(await namesOfPresentationTemplates(tx, ids))]),
  )
  const data = {
    from,
    until,
    issuances: tableOf(counts, names, 'issuance', issuanceMetrics),
    presentations: tableOf(counts, names, 'presentation', presentationMetrics),
  }
  return { data, asOf: (countedUntil ?? now).toISOString() }
}

/** One row for each month and template that has an event of the kind. */
function tableOf<const F extends string>(
  counts: readonly Count[],
  names: ReadonlyMap<string, string>,
  kind: 'issuance' | 'presentation',
  metrics: readonly F[],
) {
  const ours = counts.filter(({ figure }) => figure.startsWith(`${kind}.`))
  const rows = Map.groupBy(ours, ({ month, templateId }) => `${month} ${templateId}`)
  return [...rows.values()]
    .flatMap((row) => {
      const [first] = row
      if (first === undefined) return []
      const { month, templateId } = first
      const number = (name: F) =>
        row.reduce((sum, one) => (one.figure === `${kind}.${name}` ? sum + one.count : sum), 0)
      // The members were just made from the names.
      const numbers = Object.fromEntries(metrics.map((name) => [name, number(name)])) as { [K in F]: number }
      return [{ month: month.slice(0, 7), templateId, templateName: names.get(templateId) ?? '', ...numbers }]
    })
    .sort((one, other) => {
      const [a, b] = [one, other].map((row) => `${row.month} ${row.templateName} ${row.templateId}`)
      return (a ?? '') < (b ?? '') ? -1 : 1
    })
}

function rangeOf(query: StatisticsQuery, now: Date): { from: string; until: string } {
  const until = query['filter[until]'] ?? now.toISOString().slice(0, 7)
  const from = query['filter[from]'] ?? monthOf(numberOf(until) - MONTHS + 1)
  const months = numberOf(until) - numberOf(from) + 1
  if (months < 1) throw invalidRange('filter[from] is after filter[until], which is the current month by default.')
  if (months > MONTHS_MAX) throw invalidRange(`The range has more than ${MONTHS_MAX} months.`)
  return { from, until }
}

function invalidRange(detail: string): Fault {
  return new Fault('request.invalid', { violations: [{ detail, parameter: 'filter[from]' }] })
}

/** Months since the year 0. */
function numberOf(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1
}

function monthOf(number: number): string {
  const positive = Math.max(number, 0)
  return `${String(Math.floor(positive / 12)).padStart(4, '0')}-${String((positive % 12) + 1).padStart(2, '0')}`
}
