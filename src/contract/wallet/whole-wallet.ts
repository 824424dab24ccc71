import { type Static, Type } from 'typebox'
import { EventReply } from '../events/events.ts'
import { listQuery, PageMeta } from '../list-query.ts'
import { EVENT_STREAM } from '../media-types.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'
import { CredentialDetails } from './card-display.ts'
import { SharedLink } from './card-links.ts'
import { Credential } from './credentials.ts'
import { HistoryEntry } from './history.ts'
import { PushSubscriptionReply } from './push-subscriptions.ts'

/** Everything in a wallet, except private keys. */
export const WalletExport = Type.Object(
  {
    exportedAt: time,
    credentials: Type.Array(
      Type.Object({
        credential: Credential,
        details: Type.Optional(CredentialDetails),
        issued: Type.String({ description: 'The credential as its issuer issued it: one of its copies.' }),
      }),
    ),
    history: Type.Array(HistoryEntry, { description: 'Newest first, at most 10,000 entries.' }),
    hasOlderHistory: Type.Boolean({
      description: 'true: the history has older entries, which GET /v2/history lists.',
    }),
    sharedLinks: Type.Array(SharedLink, {
      description: 'Links by which credentials are shown, without their addresses. Newest first.',
    }),
    pushSubscriptions: Type.Array(PushSubscriptionReply, { description: 'Browsers that are sent messages.' }),
  },
  { additionalProperties: false, $id: 'WalletExport' },
)

/** The type of {@link WalletExport}. */
export type WalletExport = Static<typeof WalletExport>
const ofOwnData = operationGroup({
  group: 'wallet',
  tag: 'history',
  faults: ['holder.missing'],
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

/** Everything in the wallet of the caller. */
export const ownData = {
  listEvents: ofOwnData.get('/v2/events', {
    operationId: 'listOwnEvents',
    summary:
      "Lists the caller's own events: what was delivered to the wallet, and what issuers changed; with `Accept: text/event-stream` streams them.",
    query: listQuery(),
    reply: Type.Array(EventReply),
    meta: PageMeta,
    streams: EventReply,
    faults: ['request.rate_limited'],
    produces: [EVENT_STREAM],
  }),

  export: ofOwnData.get('/v2/data', {
    operationId: 'exportWallet',
    summary:
      'Returns everything in the wallet except private keys: credentials as they were issued, the history, links, and browsers that are sent messages.',
    reply: WalletExport,
  }),

  delete: ofOwnData.delete('/v2/data', {
    operationId: 'deleteWalletData',
    summary:
      'Deletes everything in the wallet: credentials with their keys, requests, links, the history, and the subscriptions of browsers. This is final.',
    reply: undefined,
  }),
} as const
