import { type Static, Type } from 'typebox'
import { issuanceMetrics, presentationMetrics } from '../events/counts/metric.ts'

const MONTH = '[0-9]{3}-(0[1-9]|1[0-2])$'
const month = (description: string) => Type.Optional(Type.String({ pattern: `^2${MONTH}`, description }))
const Month = { pattern: `^[12]${MONTH}` }

/** The months, and the template. */
export const StatisticsQuery = Type.Object(
  {
    'filter[from]': month('The first month, e.g. `2026-01`. By default the eleventh month before the last one.'),
    'filter[until]': month('The last month, inclusive, e.g. `2026-12`. By default the current month in UTC.'),
    'filter[templateId]': Type.Optional(
      Type.String({ format: 'uuid', description: 'Only events of this credential template or presentation template.' }),
    ),
  },
  { additionalProperties: false },
)
export type StatisticsQuery = Static<typeof StatisticsQuery>

const rowKeys = {
  month: Type.String({ ...Month, description: 'In UTC, by the time of the event.' }),
  templateId: Type.String({ format: 'uuid' }),
  templateName: Type.String(),
}

function counters<const F extends string>(names: readonly F[]) {
  // The members were just made from the names.
  return Object.fromEntries(names.map((name) => [name, Type.Integer()])) as { [K in F]: Type.TInteger }
}

/** Event counts. */
export const StatisticsReply = Type.Object(
  {
    from: Type.String(Month),
    until: Type.String(Month),
    issuances: Type.Array(Type.Object({ ...rowKeys, ...counters(issuanceMetrics) }), {
      description: 'By month, then by template. A month without an event of a template has no row for it.',
    }),
    presentations: Type.Array(Type.Object({ ...rowKeys, ...counters(presentationMetrics) })),
  },
  { additionalProperties: false, $id: 'Statistics' },
)
export type StatisticsReply = Static<typeof StatisticsReply>

/** The `meta` of the figures. */
export const StatisticsMeta = Type.Object({
  asOf: Type.String({ format: 'date-time', description: 'The time up to which events are counted.' }),
})
