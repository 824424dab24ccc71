import type { TenantId } from '../../caller.ts'
import { readCertificate } from '../../crypto/x509/certificate.ts'
import { signRevocationList } from '../../crypto/x509/crl.ts'
import { Fault } from '../../fault.ts'
import { entityTagOf } from '../../http/routes/entity-tag.ts'
import { remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { isWrittenUuid } from '../../uuid.ts'
import { findListState, keepList, type ListState, listRevoked } from './revocation-list-store.ts'

type Needs = Pick<Platform, 'store' | 'keys' | 'clock' | 'memory'>

/** A revocation list as it is served. */
type PublishedCrl = { readonly der: Buffer; readonly etag: string; readonly nextUpdate: Date }

/** The media type of revocation lists. @see [RFC 5280, 4.2.1.13](https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.13) */
export const CRL_MEDIA_TYPE = 'application/pkix-crl'
/** Validity of a list. [X5-2] allows at most 90 days. */
const LIST_DAYS = 7
/** The next list is issued at about half of that, so that an outage of a few days does no harm. */
const REISSUED_DAYS = 3
const DAY_MS = 86_400_000
const ATTEMPTS_MAX = 5

/** Returns the address of the list of a root, as in the root and in everything that it signs. */
export function crlUri({ urls }: Pick<Platform, 'urls'>, slug: string, rootId: string): string {
  return `${urls.issuer(slug)}/crls/${rootId}.crl`
}

/**
 * Returns the revocation list of a root of the tenant, up to 5 s old. Signs a new one if a certificate was revoked or
 * the list is due.
 *
 * @throws Fault `resource.unknown`
 * @see [RFC 5280, 5](https://www.rfc-editor.org/rfc/rfc5280#section-5)
 */
export function publishCrl(needs: Needs, tenantId: TenantId, rootId: string): Promise<PublishedCrl> {
  if (!isWrittenUuid(rootId)) throw new Fault('resource.unknown')
  const now = needs.clock.now()
  return remembered(cacheOf(needs), `${tenantId}|${rootId}`, now, () => currentList(needs, tenantId, rootId, now))
}

/** Discards a cached list after a revocation by this process. */
export function forgetCrl(needs: Pick<Platform, 'memory'>, tenantId: TenantId, rootId: string): void {
  cacheOf(needs).delete(`${tenantId}|${rootId}`)
}

function cacheOf({ memory }: Pick<Platform, 'memory'>) {
  return memory.cache<Promise<PublishedCrl>>('trust.revocation_lists')
}

async function currentList(needs: Needs, tenantId: TenantId, rootId: string, now: Date): Promise<PublishedCrl> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const state = await needs.store.single(tenantId, (tx) => findListState(tx, rootId))
    if (state === null) throw new Fault('resource.unknown')
    const isDue = state.reissueAt !== null && state.reissueAt <= now
    if (state.current !== null && !isDue) return published(state.current)
    const list = await signList(needs, tenantId, rootId, state, now)
    if (await needs.store.single(tenantId, (tx) => keepList(tx, rootId, state, list))) return published(list)
  }
  throw new Error('the revocation list changed concurrently too often')
}

async function signList(needs: Needs, tenantId: TenantId, rootId: string, { root, number }: ListState, now: Date) {
  const revoked = await needs.store.single(tenantId, (tx) => listRevoked(tx, rootId))
  const key = await needs.keys.byId(tenantId, root.keyId)
  const { subject, extensions } = readCertificate(root.der)
  const next = { number: number + 1, nextUpdate: new Date(now.getTime() + LIST_DAYS * DAY_MS) }
  const issuerKeyId = extensions.subjectKeyId ?? Buffer.alloc(0)
  const der = await signRevocationList({ ...next, issuer: subject.der, issuerKeyId, thisUpdate: now, revoked }, key)
  const reissueAt = new Date(now.getTime() + REISSUED_DAYS * DAY_MS)
  // After its end a root certifies nothing, so there is nothing to revoke.
  return { ...next, der, reissueAt: reissueAt < root.notAfter ? reissueAt : null }
}

function published({ der, nextUpdate }: { der: Buffer; nextUpdate: Date }): PublishedCrl {
  return { der, nextUpdate, etag: entityTagOf(der) }
}
