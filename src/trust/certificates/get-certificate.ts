import type { Caller } from '../../caller.ts'
import { toPem } from '../../crypto/x509/pem.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import type { TenantCertificate } from './certificate.ts'
import { countEnding, findCertificate, listUsable } from './certificate-store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>

/** Returns a certificate of the caller's tenant. @throws Fault `resource.unknown` */
export async function getCertificate(
  { store, clock }: Needs,
  { tenantId }: Pick<Caller, 'tenantId'>,
  id: string,
): Promise<TenantCertificate> {
  const found = await store.single(tenantId, (tx) => findCertificate(tx, id, clock.now()))
  if (found === null) throw new Fault('resource.unknown')
  return found
}

/** Returns a certificate and those above it in PEM, root last. @throws Fault `resource.unknown` */
export async function getChain(needs: Needs, caller: Pick<Caller, 'tenantId'>, id: string): Promise<string> {
  const { der, chain, parentId } = await getCertificate(needs, caller, id)
  const own = toPem('CERTIFICATE', der)
  if (parentId === null) return own + chain
  return own + toPem('CERTIFICATE', (await getCertificate(needs, caller, parentId)).der)
}

/** Returns those of the certificates that are neither revoked nor expired. */
export async function usableCertificates(
  tx: TenantTx,
  ids: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  return new Set(await listUsable(tx, ids, now))
}

/** Counts the active certificates that end until a time, or have ended. */
export function endingCertificates(tx: TenantTx, until: Date): Promise<number> {
  return countEnding(tx, until)
}
