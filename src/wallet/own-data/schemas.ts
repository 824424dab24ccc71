import { type Static, Type } from 'typebox'
import { Credential } from '../credentials/schemas.ts'
import { CredentialDetails } from '../display/schemas.ts'
import { HistoryEntry } from '../history/schemas.ts'
import { PushSubscriptionReply } from '../push-subscriptions/schemas.ts'

/** Everything in a wallet, except private keys. */
export const WalletExport = Type.Object(
  {
    exportedAt: Type.String({ format: 'date-time' }),
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
    pushSubscriptions: Type.Array(PushSubscriptionReply, { description: 'Browsers that are sent messages.' }),
  },
  { additionalProperties: false, $id: 'WalletExport' },
)
/** The type of {@link WalletExport}. */
export type WalletExport = Static<typeof WalletExport>
