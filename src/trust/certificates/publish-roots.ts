import { toPem } from '../../crypto/x509/pem.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { Platform } from '../../platform.ts'
import { listRoots } from './certificate-store.ts'

/**
 * Returns the roots of a tenant that are not revoked, one PEM block each, oldest first. ISO/IEC 18013-5 requires them
 * to be public. [X5-8]
 */
export async function publishRoots({ store }: Pick<Platform, 'store'>, { id }: Pick<Tenant, 'id'>): Promise<string> {
  const roots = await store.single(id, listRoots)
  return roots.map(({ der }) => toPem('CERTIFICATE', der)).join('')
}
