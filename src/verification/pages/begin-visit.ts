import type { AnonymousActor } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import { makeBearerSecret } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { createPresentationRequest } from '../requests/create-request.ts'
import type { RequestRow } from '../requests/request-store.ts'
import type { PublicPage } from './find-page.ts'
import { acceptsVisitors } from './verification-page.ts'
import { countVisit } from './visit-limits.ts'
import { insertVisit } from './visit-store.ts'

type Needs = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config' | 'memory' | 'sealing' | 'rateLimiter'>

/** A request that a visitor began. `secret`: told once, to the browser that began it. */
type BegunVisit = { readonly request: RequestRow; readonly secret: string }

/**
 * Begins a presentation request for a visitor. The wallet leads back to our own page, which the browser with the secret
 * recognizes; whatever redirect the template has is not used. The request expires by itself.
 *
 * @param reference Of the site, returned with the result.
 * @throws Fault `verification_page.closed`, `request.rate_limited`, and what creating a request throws
 */
export async function beginVisit(
  platform: Needs,
  found: PublicPage,
  { ip, requestId: httpRequestId }: Required<Pick<AnonymousActor, 'ip' | 'requestId'>>,
  reference?: string,
): Promise<BegunVisit> {
  const { tenant, page } = found
  if (!acceptsVisitors(page)) throw new Fault('verification_page.closed')
  await countVisit(platform, found, ip)
  const { publicUrl } = platform.urls
  const requestId = newId()
  const body = {
    presentationTemplateId: page.presentationTemplateId,
    expiresInSeconds: page.expiresInSeconds,
    digitalCredentials: { origins: [new URL(publicUrl).origin] },
    ...(reference !== undefined && { reference }),
  }
  const visitor = {
    tenantId: tenant.id,
    tenantSlug: tenant.slug,
    by: { kind: 'user', ip, requestId: httpRequestId },
    page: { id: page.id, returnUri: `${publicUrl}/verify/${page.id}/return` },
  } as const
  const request = await createPresentationRequest(platform, visitor, body, requestId)
  const { text, hash } = makeBearerSecret(tenant.id, requestId)
  const visit = { requestId, pageId: page.id, secretHash: hash }
  await platform.store.single(tenant.id, (tx) => insertVisit(tx, visit, platform.clock.now()))
  return { request, secret: text }
}
