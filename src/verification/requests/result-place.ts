import type { TenantId } from '../../caller.ts'
import type { SealedPlace } from '../../keys/sealing.ts'

/** Returns the column that the result of a request is sealed for. */
export function resultPlace(tenantId: TenantId, id: string): SealedPlace {
  return { tenantId, table: 'presentation_request', column: 'result', row: id }
}
