import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantSigningRequest } from './signing-request.ts'
import { findSigningRequest } from './signing-request-store.ts'

/** Returns a signing request of the caller's tenant. @throws Fault `resource.unknown` */
export async function getSigningRequest(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenantId }: Pick<Caller, 'tenantId'>,
  id: string,
): Promise<TenantSigningRequest> {
  const found = await store.single(tenantId, (tx) => findSigningRequest(tx, id, clock.now()))
  if (found === null) throw new Fault('resource.unknown')
  return found
}

/** Returns the refusal of a signing request that is not open. */
export function notOpen({ status }: Pick<TenantSigningRequest, 'status'>): Fault {
  const detail =
    status === 'expired'
      ? 'The signing request has expired and its key is destroyed: create another one.'
      : 'The signing request has its certificate already.'
  return new Fault('state.invalid', { detail, meta: { status } })
}
