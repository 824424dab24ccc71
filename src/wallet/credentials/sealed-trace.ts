import type { TenantId } from '../../caller.ts'
import { readOwnJson } from '../../crypto/json.ts'
import type { Sealing } from '../../keys/sealing.ts'
import type { WalletFormat } from './wallet-format.ts'

/** What is told of a credential, also after its holder removed it. Nothing that it says about anybody. */
export type CredentialTrace = {
  readonly vct: string
  readonly format: WalletFormat
  readonly iss: string | null
  readonly credentialIssuer: string
  /** Only of one that is there, and that its issuer has revoked or suspended. */
  readonly standing?: 'suspended' | 'revoked'
}

/** Seals what is left of a credential that its holder removes. */
export function sealTrace(sealing: Sealing, tenantId: TenantId, id: string, trace: CredentialTrace): Promise<Buffer> {
  return sealing.seal(place(tenantId, id), JSON.stringify(trace))
}

/** Opens what is left of a credential. */
export async function openTrace(
  sealing: Sealing,
  tenantId: TenantId,
  { id, sealedView }: { readonly id: string; readonly sealedView: Buffer },
): Promise<CredentialTrace> {
  const plain = await sealing.open(place(tenantId, id), sealedView)
  // Sealed by us in this very form.
  return readOwnJson(plain) as CredentialTrace
}

function place(tenantId: TenantId, row: string) {
  return { tenantId, table: 'wallet_removed_credential', column: 'sealed_view', row }
}
