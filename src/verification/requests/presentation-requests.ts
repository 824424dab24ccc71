import type { ListRequest } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import { equalInConstantTime, sha256 } from '../../crypto/digest.ts'
import { readOwnJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { CredentialResult, PresentationRequest } from './presentation-request.ts'
import { listPresentationRequests, type RequestFilter } from './request-list-store.ts'
import { cancelPresentationRequest, findPresentationRequest, type RequestRow } from './request-store.ts'
import { resultPlace } from './result-place.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing'>

/**
 * Reads a request with its result.
 *
 * @param responseCode The code that came back with the holder's browser. A request that sent the browser somewhere shows its result only with
 *   its code: that shows that the browser which asked is the one that answered. [VP-F2]
 * @throws Fault `resource.unknown`, `presentation_request.response_code`
 */
export async function getPresentationRequest(
  needs: Needs,
  caller: Caller,
  id: string,
  responseCode?: string,
): Promise<PresentationRequest> {
  const row = await rowOf(needs, caller, id)
  const { responseCodeHash: hash } = row
  // 13.3: the result goes only to the session that the wallet came back to
  if (responseCode === undefined && hash !== null) throw new Fault('presentation_request.response_code')
  if (responseCode !== undefined && (hash === null || !equalInConstantTime(hash, sha256(responseCode)))) {
    throw new Fault('resource.unknown')
  }
  return unsealed(needs, caller, row)
}

/** Reads a request without its result, as the call that made it showed it. @throws Fault `resource.unknown` */
export async function getMadeRequest(needs: Needs, caller: Caller, id: string): Promise<PresentationRequest> {
  return unsealed(needs, caller, { ...(await rowOf(needs, caller, id)), result: null })
}

async function rowOf({ store, clock }: Needs, { tenantId }: Caller, id: string): Promise<RequestRow> {
  const row = await store.single(tenantId, (tx) => findPresentationRequest(tx, id, clock.now()))
  if (row === null) throw new Fault('resource.unknown')
  return row
}

/** One page of the tenant's requests, with the results of those that sent no browser anywhere. One row more than a page: see `listAnswer`. */
export async function listRequestPage(
  { store, clock, sealing }: Needs,
  caller: Caller,
  ask: ListRequest,
  filter: RequestFilter,
): Promise<PresentationRequest[]> {
  const rows = await store.single(caller.tenantId, (tx) => listPresentationRequests(tx, ask, filter, clock.now()))
  const shown = (row: RequestRow) => (row.responseCodeHash === null ? row : { ...row, result: null })
  return Promise.all(rows.map((row) => unsealed({ sealing }, caller, shown(row))))
}

/**
 * Ends an open request before its time; a wallet that answers later is refused.
 *
 * @throws Fault `resource.unknown`, `presentation_request.closed`
 */
export async function cancelPresentation(needs: Needs, caller: Caller, id: string): Promise<PresentationRequest> {
  const { store, clock } = needs
  const now = clock.now()
  const error = { code: 410, message: 'The request was canceled.', details: [] }
  const subject = { kind: 'presentation_request', id } as const
  const entry = { action: 'openid4vc.verification.expired', subject, by: caller, detail: { canceled: true } } as const
  const row = await store.single(caller.tenantId, (tx) => cancelPresentationRequest(tx, id, error, entry, now))
  if (row !== null) return unsealed(needs, caller, row)
  await rowOf(needs, caller, id)
  throw new Fault('presentation_request.closed')
}

/** Opens the sealed result of a row. */
export async function unsealed(
  { sealing }: Pick<Needs, 'sealing'>,
  { tenantId }: Pick<Caller, 'tenantId'>,
  { result, responseCodeHash: _, ...row }: RequestRow,
): Promise<PresentationRequest> {
  if (result === null) return { ...row, credentials: [] }
  const opened = await sealing.open(resultPlace(tenantId, row.id), result)
  // We sealed it ourselves, as exactly this.
  return { ...row, credentials: readOwnJson(opened) as CredentialResult[] }
}
