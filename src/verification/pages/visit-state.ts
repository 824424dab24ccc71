import { equalInConstantTime, sha256 } from '../../crypto/digest.ts'
import { Fault } from '../../fault.ts'
import { readBearerSecret } from '../../keys/bearer-secret.ts'
import type { Platform } from '../../platform.ts'
import { limitVerifierRefusals } from '../requests/rate-limits.ts'
import { linksOf } from '../requests/request-links.ts'
import { findPresentationRequest, type RequestRow } from '../requests/request-store.ts'
import { requestTokenOf, responseCodeOf } from '../requests/request-token.ts'
import type { RequestNeeds } from '../requests/serve-request-object.ts'
import type { PublicPage } from './find-page.ts'
import { needsWayBack } from './verification-page.ts'
import { findVisit, setVisitReturned } from './visit-store.ts'

type Needs = RequestNeeds & Pick<Platform, 'rateLimiter'>

/**
 * The state of a request as its visitor learns it. `answered`: the owner does not say whether the credential was
 * accepted.
 */
type VisitStatus = RequestRow['status'] | 'answered'

/** What the browser that began a request learns of it. Never a claim, and not why a credential was refused. */
export type VisitState = {
  readonly id: string
  readonly status: VisitStatus
  readonly expiresAt: string
  /** Of an open request: for a link, an image and the Digital Credentials API. */
  readonly authorizationRequestUri?: string
  readonly authorizationRequestQrUri?: string
  readonly digitalCredentialsUri?: string
  /** By which the organisation's backend reads the result. */
  readonly responseCode?: string
  /** Where the browser is to go, with the response code. */
  readonly redirectUri?: string
  /** The wallet has answered; the outcome is told once it has led the browser back. */
  readonly awaitsReturn?: true
}

/**
 * Checks the secret of a visitor.
 *
 * @returns the id of the request
 * @throws Fault `resource.unknown` for another secret, request or page
 */
export async function checkVisitor(
  needs: Needs,
  { tenant, page }: PublicPage,
  { requestId, secret, ip }: { readonly requestId: string; readonly secret: string; readonly ip: string },
): Promise<string> {
  return limitVerifierRefusals(needs, { tenant, ip }, async () => {
    const read = readBearerSecret(secret)
    const isHere = read !== null && read.tenantId === tenant.id && read.id === requestId.toLowerCase()
    const visit = isHere ? await needs.store.single(tenant.id, (tx) => findVisit(tx, read.id)) : null
    if (read === null || visit === null || visit.pageId !== page.id) throw new Fault('resource.unknown')
    if (!equalInConstantTime(visit.secretHash, read.hash)) throw new Fault('resource.unknown')
    return read.id
  })
}

/** Returns the state of a request, for the visitor who began it. @throws Fault `resource.unknown` */
export async function readVisitState(needs: Needs, { tenant, page }: PublicPage, id: string): Promise<VisitState> {
  const { store, clock, sealing } = needs
  const row = await store.single(tenant.id, (tx) => findPresentationRequest(tx, id, clock.now()))
  if (row === null) throw new Fault('resource.unknown')
  if (row.status === 'requested') return openVisitState(needs, { tenant, page }, row)
  const { status, expiresAt } = row
  if (row.responseCodeHash !== null && needsWayBack(tenant, page)) {
    const visit = await store.single(tenant.id, (tx) => findVisit(tx, id))
    if (visit?.returnedAt === null)
      return { id, status: 'answered', expiresAt: expiresAt.toISOString(), awaitsReturn: true }
  }
  const isChecked = status === 'verified' || status === 'failed'
  const state = {
    id,
    status: isChecked && page.visitorSees === 'receipt' ? 'answered' : status,
    expiresAt: expiresAt.toISOString(),
  } as const
  if (row.responseCodeHash === null) return state
  const responseCode = await responseCodeOf({ sealing }, tenant.id, id)
  return { ...state, responseCode, ...redirectOf(page.redirectUri, id, responseCode) }
}

/**
 * Records that the browser that began a request came back from its wallet.
 *
 * @param responseCode From the address to which the wallet led it.
 * @throws Fault `resource.unknown` for another code, or before the wallet has answered
 */
export async function recordReturn(
  { store, clock }: Pick<Needs, 'store' | 'clock'>,
  { tenant }: PublicPage,
  { id, responseCode }: { readonly id: string; readonly responseCode: string },
): Promise<void> {
  const now = clock.now()
  const row = await store.single(tenant.id, (tx) => findPresentationRequest(tx, id, now))
  const hash = row?.responseCodeHash ?? null
  if (hash === null || !equalInConstantTime(hash, sha256(responseCode))) throw new Fault('resource.unknown')
  await store.single(tenant.id, (tx) => setVisitReturned(tx, id, now))
}

/** Returns the state of an open request, with its addresses: a code only where another device may answer. */
export async function openVisitState(
  platform: RequestNeeds,
  { tenant, page }: Pick<PublicPage, 'tenant' | 'page'>,
  request: RequestRow,
): Promise<VisitState> {
  const { id, status, expiresAt } = request
  const token = await requestTokenOf(platform, tenant.id, id)
  const addresses = await linksOf(platform, tenant, token, request)
  const { authorizationRequestUri, authorizationRequestQrUri, digitalCredentialsUri } = addresses
  return {
    id,
    status,
    expiresAt: expiresAt.toISOString(),
    authorizationRequestUri,
    digitalCredentialsUri,
    ...(!needsWayBack(tenant, page) && { authorizationRequestQrUri }),
  }
}

function redirectOf(uri: string | null, request: string, responseCode: string) {
  if (uri === null) return {}
  const url = new URL(uri)
  url.searchParams.set('request', request)
  url.searchParams.set('response_code', responseCode)
  return { redirectUri: url.href }
}
