import type { TenantId } from '../../caller.ts'
import { readOwnJson } from '../../crypto/json.ts'
import type { Sealing } from '../../keys/sealing.ts'
import type { WalletFormat } from './wallet-format.ts'

/** What the history shows of a credential, also after its removal. No claims about the subject. */
export type CredentialTrace = {
  readonly vct: string
  readonly format: WalletFormat
  readonly iss: string | null
  readonly credentialIssuer: string
  /** Only for a credential that is in the wallet, and that its issuer has revoked or suspended. */
  readonly standing?: 'suspended' | 'revoked'
}

/** Seals the trace of a removed credential. */
export function sealTrace(sealing: Sealing, tenantId: TenantId, id: string, trace: CredentialTrace): Promise<Buffer> {
  return sealing.seal(place(tenantId, id), JSON.stringify(trace))
}

/** Opens the trace of a removed credential. */
export async function openTrace(
  sealing: Sealing,
  tenantId: TenantId,
  { id, sealedView }: { readonly id: string; readonly sealedView: Buffer },
): Promise<CredentialTrace> {
  const plain = await sealing.open(place(tenantId, id), sealedView)
  // Sealed by sealTrace in this form.
  return readOwnJson(plain) as CredentialTrace
}

function place(tenantId: TenantId, row: string) {
  return { tenantId, table: 'wallet_removed_credential', column: 'sealed_view', row }
}
