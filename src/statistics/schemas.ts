import { type Static, Type } from 'typebox'
import { issuanceMetrics, presentationMetrics } from '../events/counts/metric.ts'

const MONTH = '[0-9]{3}-(0[1-9]|1[0-2])$'
const month = (description: string) => Type.Optional(Type.String({ pattern: `^2${MONTH}`, description }))
const Month = { pattern: `^[12]${MONTH}` }

/** What figures may be asked for. */
export const StatisticsQuery = Type.Object(
  {
    'filter[from]': month('The first month, `2026-01`. Without it twelve months, up to the last one.'),
    'filter[until]': month('The last month, `2026-12`, inclusive. Without it the present one, in UTC.'),
    'filter[templateId]': Type.Optional(
      Type.String({ format: 'uuid', description: 'Only of this credential template or presentation template.' }),
    ),
  },
  { additionalProperties: false },
)
/** As {@link StatisticsQuery}, for code. */
export type StatisticsQuery = Static<typeof StatisticsQuery>

const about = {
  month: Type.String({ ...Month, description: 'Of UTC. What happened in it, whenever it had begun.' }),
  templateId: Type.String({ format: 'uuid' }),
  templateName: Type.String(),
}

function figures<const F extends string>(names: readonly F[]) {
  // The members were just made from the names.
  return Object.fromEntries(names.map((name) => [name, Type.Integer()])) as { [K in F]: Type.TInteger }
}

/** What happened, in numbers. */
export const StatisticsReply = Type.Object(
  {
    from: Type.String(Month),
    until: Type.String(Month),
    issuances: Type.Array(Type.Object({ ...about, ...figures(issuanceMetrics) }), {
      description: 'By month, then by template. Months in which nothing happened to what a template made are left out.',
    }),
    presentations: Type.Array(Type.Object({ ...about, ...figures(presentationMetrics) })),
  },
  { additionalProperties: false, $id: 'Statistics' },
)
/** As {@link StatisticsReply}, for code. */
export type StatisticsReply = Static<typeof StatisticsReply>
