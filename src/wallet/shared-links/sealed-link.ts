import type { TenantId } from '../../caller.ts'
import { readOwnJson } from '../../crypto/json.ts'
import { sealedJson } from '../../keys/sealed-column.ts'
import type { Sealing } from '../../keys/sealing.ts'
import { decryptBySecret, encryptBySecret } from '../../keys/secret-sealing.ts'
import type { SharedLinkView } from './card-link.ts'

const TABLE = 'wallet_shared_link'

/** What a link shares, and the `nonce` that its key binding has. */
type LinkedPresentation = { readonly presentation: string; readonly nonce: string }

/** What the holder says of a link. */
export const { seal: sealLinkView, open: openLinkView } = sealedJson<SharedLinkView>(TABLE, 'sealed_view')

/** Seals a presentation so that only the address of its link opens it. @param secret Bytes of the secret in it. */
export function sealLinked(
  sealing: Sealing,
  tenantId: TenantId,
  { id, secret }: { readonly id: string; readonly secret: Uint8Array },
  linked: LinkedPresentation,
): Promise<Buffer> {
  return sealing.seal(placeOf(tenantId, id), encryptBySecret(secret, purposeOf(id), JSON.stringify(linked)))
}

/** Opens what {@link sealLinked} sealed. @throws BrokenSeal, Error for another secret */
export async function openLinked(
  sealing: Sealing,
  tenantId: TenantId,
  { id, secret }: { readonly id: string; readonly secret: Uint8Array },
  sealed: Uint8Array,
): Promise<LinkedPresentation> {
  const encrypted = await sealing.open(placeOf(tenantId, id), sealed)
  // Written by sealLinked: the encryption proves it.
  return readOwnJson(Buffer.from(decryptBySecret(secret, purposeOf(id), encrypted))) as LinkedPresentation
}

function placeOf(tenantId: TenantId, row: string) {
  return { tenantId, table: TABLE, column: 'sealed_presentation', row }
}

function purposeOf(id: string): string {
  return `shared link ${id}`
}
