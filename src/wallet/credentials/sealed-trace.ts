import type { WalletFormat } from '../../contract/wallet/credentials.ts'
import { sealedJson } from '../../keys/sealed-column.ts'

/** What the history shows of a credential, also after its removal. No claims about the subject. */
export type CredentialTrace = {
  readonly vct: string
  readonly format: WalletFormat
  readonly iss: string | null
  /** Absent if it is the same, or the credential states none. */
  readonly statedIss?: string
  readonly credentialIssuer: string
  /** How it was called, in the first language of its issuer. Only for a removed credential. */
  readonly name?: string
  readonly issuerName?: string
  /** Only for a credential that is in the wallet, and that its issuer has revoked or suspended. */
  readonly standing?: 'suspended' | 'revoked'
}

/** The trace of a removed credential. */
export const { seal: sealTrace, open: openTrace } = sealedJson<CredentialTrace>(
  'wallet_removed_credential',
  'sealed_view',
)
