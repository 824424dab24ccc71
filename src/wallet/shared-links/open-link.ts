import type { SharedPresentation } from '../../contract/wallet/card-links.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { findSignInUser } from '../../directory/users/sign-in-users.ts'
import { Fault } from '../../fault.ts'
import { readBearerSecret, secretBytesOf } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { audienceOf } from './card-link.ts'
import { countView, findOpenLink } from './card-link-store.ts'
import { openLinked, openLinkView } from './sealed-link.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory' | 'rateLimiter'>

/** Who opens a link. `isView`: a person looks, so that it counts. `language`: `Accept-Language`. */
type Opening = { readonly ip: string; readonly isView: boolean; readonly language: string | undefined }

/**
 * Returns what a link shares. One that is wrong, has ended or is unknown is refused the same way, and an address that
 * tried too many of them is refused for a minute.
 *
 * @param secret From the address of the link.
 * @throws Fault `resource.unknown`, `request.rate_limited`
 */
export async function openSharedLink(needs: Needs, secret: string, opening: Opening): Promise<SharedPresentation> {
  const { rateLimiter, clock } = needs
  const now = clock.now()
  rateLimiter.admitAddress('wallet.unknown_shared_links', opening.ip, now)
  const found = await findLinked(needs, secret, opening)
  if (found !== null) return found
  rateLimiter.countAddress('wallet.unknown_shared_links', opening.ip, now)
  throw new Fault('resource.unknown')
}

async function findLinked(
  needs: Needs,
  secret: string,
  { isView, language }: Opening,
): Promise<SharedPresentation | null> {
  const { store, sealing, clock, urls } = needs
  const read = readBearerSecret(secret)
  const tenant = read === null ? null : await findTenantOf(needs, read.tenantId)
  if (read === null || tenant === null) return null
  const { tenantId, id, hash: secretHash } = read
  const now = clock.now()
  const row = await store.single(tenantId, (tx) => findOpenLink(tx, { id, secretHash }, now))
  // A holder who was disabled or deleted shows nothing meanwhile.
  if (row === null || (await store.single(tenantId, (tx) => findSignInUser(tx, row.userId))) === null) return null
  if (isView && !(await store.single(tenantId, (tx) => countView(tx, { id, secretHash }, now)))) return null
  const { recipient, purpose } = await openLinkView(sealing, tenantId, id, row.sealedView)
  const key = { id, secret: secretBytesOf(secret) }
  const { presentation, nonce } = await openLinked(sealing, tenantId, key, row.sealedPresentation)
  const { credentialId, userId } = row
  const described = await describeCredentials(needs, { tenantId, userId }, [credentialId], language)
  return {
    id,
    format: 'dc+sd-jwt',
    presentation,
    audience: audienceOf(urls, id),
    nonce,
    organisation: tenant.slug,
    recipient,
    purpose,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    display: described.get(credentialId)?.display ?? null,
  }
}
