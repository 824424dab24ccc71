import { sealedJson } from '../../keys/sealed-column.ts'
import type { CredentialResult } from './presentation-request.ts'

/** The results of the requested credentials, with personal data. */
export const { seal: sealResult, open: openResult } = sealedJson<readonly CredentialResult[]>(
  'presentation_request',
  'result',
)

/** The transaction data of a request, each entry as it goes over the wire. */
export const { seal: sealTransactions, open: openTransactions } = sealedJson<readonly string[]>(
  'presentation_request',
  'transaction_data',
)
