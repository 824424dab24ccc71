import type { TenantId } from '../../caller.ts'
import type { SealedPlace } from '../../keys/sealing.ts'

/** Where the sealed result of a request lives. */
export function resultPlace(tenantId: TenantId, id: string): SealedPlace {
  return { tenantId, table: 'presentation_request', column: 'result', row: id }
}
