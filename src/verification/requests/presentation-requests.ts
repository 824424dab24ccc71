import type { ListRequest } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import { equalInConstantTime, sha256 } from '../../crypto/digest.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { CANCELED, type PresentationRequest } from './presentation-request.ts'
import { listPresentationRequests, type RequestFilter } from './request-list-store.ts'
import { cancelPresentationRequest, deleteResult, findPresentationRequest, type RequestRow } from './request-store.ts'
import { openResult } from './sealed-request.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing'>

/**
 * Returns a request with its result.
 *
 * @param responseCode From the redirect of the holder's browser. A request with a redirect URI shows its result only
 *   with its code, which proves that the browser in which the flow began is the one that the wallet returned to.
 *   [VP-F2]
 * @param browserSession Of the browser that the holder returned to. A final request that was created with one requires
 *   the same. [VP-F1]
 * @throws Fault `resource.unknown`, `presentation_request.response_code`
 */
export async function getPresentationRequest(
  needs: Needs,
  caller: Caller,
  id: string,
  { responseCode, browserSession }: { readonly responseCode?: string; readonly browserSession?: string } = {},
): Promise<PresentationRequest> {
  const row = await rowOf(needs, caller, id)
  const { responseCodeHash: hash, browserSessionHash: session } = row
  // OpenID4VP 1.0, 14.3: the session in which the flow began
  if (session !== null && (browserSession !== undefined || row.status !== 'requested')) {
    if (browserSession === undefined) throw new Fault('presentation_request.response_code')
    if (!equalInConstantTime(session, sha256(browserSession))) throw new Fault('resource.unknown')
  }
  // OpenID4VP 1.0, 13.3: only the session that the wallet returned to gets the result
  if (responseCode === undefined && hash !== null) throw new Fault('presentation_request.response_code')
  if (responseCode !== undefined && (hash === null || !equalInConstantTime(hash, sha256(responseCode)))) {
    throw new Fault('resource.unknown')
  }
  return unsealResult(needs, caller, row)
}

/**
 * Returns a request without its result, as in the response of the call that created it.
 *
 * @throws Fault `resource.unknown`
 */
export async function getCreatedRequest(needs: Needs, caller: Caller, id: string): Promise<PresentationRequest> {
  return unsealResult(needs, caller, { ...(await rowOf(needs, caller, id)), result: null })
}

async function rowOf({ store, clock }: Needs, { tenantId }: Caller, id: string): Promise<RequestRow> {
  const row = await store.single(tenantId, (tx) => findPresentationRequest(tx, id, clock.now()))
  if (row === null) throw new Fault('resource.unknown')
  return row
}

/**
 * Returns a page of the tenant's requests, and one row more if there is a next page; results only of those without a
 * redirect URI and without a session.
 */
export async function listRequestPage(
  { store, clock, sealing }: Needs,
  caller: Caller,
  list: ListRequest,
  filter: RequestFilter,
): Promise<PresentationRequest[]> {
  const rows = await store.single(caller.tenantId, (tx) => listPresentationRequests(tx, list, filter, clock.now()))
  const isBound = (row: RequestRow) => row.responseCodeHash !== null || row.browserSessionHash !== null
  const visible = (row: RequestRow) => (isBound(row) ? { ...row, result: null } : row)
  return Promise.all(rows.map((row) => unsealResult({ sealing }, caller, visible(row))))
}

/** Returns the requests with an id or a reference, without their results; a page of them. */
export async function findRequests(
  { store, clock }: Pick<Needs, 'store' | 'clock'>,
  { tenantId }: Caller,
  list: ListRequest,
  by: { readonly id: string } | { readonly reference: string },
): Promise<Pick<RequestRow, 'id' | 'templateId' | 'status' | 'reference' | 'createdAt'>[]> {
  const now = clock.now()
  return store.single(tenantId, async (tx) => {
    if (!('id' in by)) return (await listPresentationRequests(tx, list, by, now)).slice(0, list.size)
    const found = await findPresentationRequest(tx, by.id, now)
    return found === null ? [] : [found]
  })
}

/**
 * Cancels an open request. Later responses of wallets are refused.
 *
 * @throws Fault `resource.unknown`, `presentation_request.closed`
 */
export async function cancelPresentation(needs: Needs, caller: Caller, id: string): Promise<PresentationRequest> {
  const { store, clock } = needs
  const now = clock.now()
  const error = { code: CANCELED, message: 'The request was canceled.', details: [] }
  const subject = { kind: 'presentation_request', id } as const
  const entry = { action: 'openid4vc.verification.expired', subject, by: caller, detail: { canceled: true } } as const
  const row = await store.inTenant(caller.tenantId, (tx) => cancelPresentationRequest(tx, id, error, entry, now))
  if (row !== null) return unsealResult(needs, caller, row)
  await rowOf(needs, caller, id)
  throw new Fault('presentation_request.closed')
}

/**
 * Erases the result of a request, before its retention ends. The request and its status stay.
 *
 * @throws Fault `resource.unknown`; `state.invalid` without a result
 */
export async function eraseResult(needs: Needs, caller: Caller, id: string): Promise<PresentationRequest> {
  const { store, clock } = needs
  const subject = { kind: 'presentation_request', id } as const
  const entry = { action: 'presentation_request.claims_deleted', subject, by: caller } as const
  const row = await store.inTenant(caller.tenantId, (tx) => deleteResult(tx, id, entry, clock.now()))
  if (row !== null) return unsealResult(needs, caller, row)
  await rowOf(needs, caller, id)
  throw new Fault('state.invalid', { detail: 'There are no claims: none were received, or they were erased.' })
}

/** Returns the request of a row, with its result opened. */
export async function unsealResult(
  { sealing }: Pick<Needs, 'sealing'>,
  { tenantId }: Pick<Caller, 'tenantId'>,
  { result, responseCodeHash: _, browserSessionHash: __, ...row }: RequestRow,
): Promise<PresentationRequest> {
  if (result === null) return { ...row, credentials: [] }
  return { ...row, credentials: await openResult(sealing, tenantId, row.id, result) }
}
