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

/** The template of everything that is counted, by the id of what something happened to. */
export async function templatesOf(
  tx: TenantTx,
  happenings: readonly AuditEvent[],
): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await templatesOfIssuances(tx, happenings)), ...(await templatesOfRequests(tx, happenings))])
}

/**
 * What happened to the issuances and presentation requests of a tenant, for each template and month: numbers, and nobody in them.
 *
 * @returns `asOf`: everything until then is in it.
 * @throws Fault `request.invalid` for months in the wrong order, or too many
 */
export async function readStatistics(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId }: Caller,
  query: StatisticsQuery,
): Promise<{ readonly data: StatisticsReply; readonly asOf: string }> {
  const now = clock.now()
  const { from, until } = rangeOf(query, now)
  const ask = { from: `${from}-01`, until: `${until}-01`, templateId: query['filter[templateId]'] ?? null }
  const { counts, countedUntil } = await readCounts({ store }, tenantId, ask, templatesOf)
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

/** One row for each month and template in which one of the figures is. */
function tableOf<const F extends string>(
  counts: readonly Count[],
  names: ReadonlyMap<string, string>,
  kind: 'issuance' | 'presentation',
  figures: readonly F[],
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
      const told = Object.fromEntries(figures.map((name) => [name, number(name)])) as { [K in F]: number }
      return [{ month: month.slice(0, 7), templateId, templateName: names.get(templateId) ?? '', ...told }]
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
  if (months < 1) throw wrong('It lies after filter[until], which is the present month if it is left out.')
  if (months > MONTHS_MAX) throw wrong(`At most ${MONTHS_MAX} months can be asked for at a time.`)
  return { from, until }
}

function wrong(detail: string): Fault {
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
