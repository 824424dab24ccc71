import { type Static, Type } from 'typebox'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'

const MONTH = '[0-9]{3}-(0[1-9]|1[0-2])$'

const DAY = '(-(0[1-9]|[12][0-9]|3[01]))?$'

const moment = (description: string) =>
  Type.Optional(Type.String({ pattern: `^2${MONTH.slice(0, -1)}${DAY}`, description }))

const Month = { pattern: `^[12]${MONTH}` }

const Moment = { pattern: `^[12]${MONTH.slice(0, -1)}${DAY}` }

/** The range, its granularity, and the template. */
export const StatisticsQuery = Type.Object(
  {
    granularity: Type.Optional(
      Type.Enum(['month', 'day'], {
        description: 'Rows by month, at most 60; or by day, at most 92 of the last 400. `month` by default.',
      }),
    ),
    group: Type.Optional(
      Type.Enum(['both', 'time', 'template'], {
        description:
          'Rows by template and month, or day: `both`, the default. `time`: for all templates together. `template`: for the whole range.',
      }),
    ),
    'filter[from]': moment(
      'The first month, e.g. `2026-01`; the eleventh before the last one by default. By day the first day, e.g. `2026-01-31`; the 29th before.',
    ),
    'filter[until]': moment(
      'The last month, inclusive, e.g. `2026-12`; the current month in UTC by default. By day the last day; today in UTC by default.',
    ),
    'filter[templateId]': Type.Optional(
      Type.String({ format: 'uuid', description: 'Only events of this credential template or presentation template.' }),
    ),
  },
  { additionalProperties: false },
)

export type StatisticsQuery = Static<typeof StatisticsQuery>

const rowKeys = {
  month: Type.Optional(
    Type.String({ ...Month, description: 'In UTC, by the time of the event. Absent with group=template.' }),
  ),
  day: Type.Optional(Type.String({ format: 'date', description: 'With granularity=day, in UTC.' })),
  templateId: Type.Optional(Type.String({ format: 'uuid', description: 'Absent with group=time.' })),
  templateName: Type.Optional(Type.String()),
}

function counters<const F extends string>(names: readonly F[]) {
  // The members were just made from the names.
  return Object.fromEntries(names.map((name) => [name, Type.Integer()])) as { [K in F]: Type.TInteger }
}

/** Metrics of issuances and of the credentials in them. */
export const issuanceMetrics = [
  'offered',
  'completed',
  'expired',
  'failed',
  'canceled',
  'accepted',
  'rejected',
  'revoked',
  'suspended',
  'reinstated',
] as const

/** Metrics of presentation requests. */
export const presentationMetrics = ['requested', 'verified', 'rejected', 'failed', 'expired'] as const

/** Event counts. */
export const StatisticsReply = Type.Object(
  {
    from: Type.String(Moment),
    until: Type.String(Moment),
    issuances: Type.Array(Type.Object({ ...rowKeys, ...counters(issuanceMetrics) }), {
      description: 'By month, then by template. A month without an event of a template has no row for it.',
    }),
    presentations: Type.Array(Type.Object({ ...rowKeys, ...counters(presentationMetrics) })),
  },
  { additionalProperties: false, $id: 'Statistics' },
)

export type StatisticsReply = Static<typeof StatisticsReply>

/** The `meta` of the figures. */
const StatisticsMeta = Type.Object({
  asOf: Type.String({ format: 'date-time', description: 'The time up to which events are counted.' }),
})

const Figure = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

/** The figures of an organisation now. A member for which the caller lacks the scope is absent. */
export const OverviewReply = Type.Object(
  {
    valid: Figure('Credentials that were issued and have not ended, and are neither revoked nor suspended.'),
    offered: Figure('Offers that no wallet has redeemed yet.'),
    ending: Figure('Valid credentials whose validity ends within 30 days.'),
    suspended: Figure('Suspended credentials.'),
    revoked: Figure('Revoked credentials.'),
    verifiedToday: Figure('Presentations that passed every check today, in UTC.'),
    needsAttention: Type.Object(
      {
        deferredIssuances: Figure('Credentials that wait for approval: `filter[credentialStatus]=deferred`.'),
        failedBatches: Figure('Batches of the last 30 days with items that failed.'),
        endingCertificates: Figure('Active certificates that have ended, or end within 30 days.'),
        disabledEndpoints: Figure('Webhook endpoints that the server disabled.'),
        failedDeliveries: Figure('Deliveries to wallets of the last 30 days that failed.'),
        failedOfferMails: Figure(
          'Mails of offers of the last 30 days that failed, without those whose offer had ended.',
        ),
        unverifiableStatusLists: Figure(
          'Status lists whose root or certificate was revoked or has ended: verifiers do not accept them, nor the credentials in them.',
        ),
        endingSecrets: Figure('SCIM tokens that end within 30 days, and clients whose every secret does.'),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, $id: 'Overview' },
)

/** See the schema of the same name. */
export type OverviewReply = Static<typeof OverviewReply>

/** What to search for. */
const SearchQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\u0000]*$',
      description:
        'A part of the first and last name of a person, a username or e-mail address, words of the name on a card, the beginning of a reference, or an id.',
    }),
  },
  { additionalProperties: false },
)

/**
 * What was found: at most ten of each kind, the newest first. Kinds for which the caller lacks the scope are left out.
 */
export const SearchReply = Type.Array(
  Type.Object(
    {
      kind: Type.Enum(['user', 'issuance', 'presentationRequest']),
      id: Type.String({ description: 'Its id; of a user the username.' }),
      name: Type.String({ description: 'The name of the person, or of the template.' }),
      reference: Type.Optional(Type.String({ description: 'Your own identifier.' })),
      status: Type.Optional(Type.String()),
      createdAt: time,
    },
    { additionalProperties: false, $id: 'SearchHit' },
  ),
)

/** See the schema of the same name. */
export type SearchReply = Static<typeof SearchReply>

const ofStatistics = operationGroup({ group: 'creds', tag: 'statistics', scope: null })

/** Figures, what needs attention, and the search over everything. */
export const statistics = {
  get: ofStatistics.get('/stats', {
    summary:
      'Returns the number of issuance and presentation request events by template and month, or day, up to the time in meta.asOf.',
    scope: 'audit:read',
    query: StatisticsQuery,
    reply: StatisticsReply,
    meta: StatisticsMeta,
  }),

  getOverview: ofStatistics.get('/overview', {
    summary:
      'Returns the figures of the organisation now, and how much needs attention, as far as the scopes of the caller allow.',
    reply: OverviewReply,
    meta: StatisticsMeta,
  }),

  search: ofStatistics.get('/search', {
    operationId: 'searchTenant',
    summary:
      'Finds people, issuances and presentation requests by name, reference or id, as far as the scopes of the caller allow.',
    query: SearchQuery,
    reply: SearchReply,
  }),
} as const
