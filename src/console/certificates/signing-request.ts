import type { ReplyOf } from '../../contract/api-operation.ts'
import type { signingRequests } from '../../contract/trust/signing-requests.ts'

/** A signing request as the API shows it. */
export type ShownSigningRequest = ReplyOf<typeof signingRequests.get>
