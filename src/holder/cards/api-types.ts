import type { MetaOf, ReplyOf } from '../../contract/api-operation.ts'
import type { walletCredentials } from '../../contract/wallet/credentials.ts'
import type { history } from '../../contract/wallet/history.ts'
import type { presentations } from '../../contract/wallet/presentations.ts'

/** What the API says about a credential besides its claims. */
export type Details = MetaOf<typeof walletCredentials.get>

/** How a credential looks, as the API says it. */
export type Display = Details['display']

/** A credential of the wallet. */
export type Credential = ReplyOf<typeof walletCredentials.get>

/** An entry of the history. */
export type HistoryEntry = ReplyOf<typeof history.list>[number]

/** The verifier of a request. */
export type Verifier = MetaOf<typeof presentations.get>['verifier']
