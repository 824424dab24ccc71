import type { TenantId } from '../../caller.ts'
import { readOwnJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Sealing } from '../../keys/sealing.ts'
import type { AnswerableRequest, PresentationView } from './presentation.ts'
import type { SealedPresentation } from './presentation-store.ts'

/** Seals what the holder is shown. */
export function sealView(sealing: Sealing, tenantId: TenantId, id: string, view: PresentationView): Promise<Buffer> {
  return sealing.seal(place(tenantId, id, 'sealed_view'), JSON.stringify(view))
}

/** Opens what the holder is shown. */
export async function openView(
  sealing: Sealing,
  tenantId: TenantId,
  { id, sealedView }: Pick<SealedPresentation, 'id' | 'sealedView'>,
): Promise<PresentationView> {
  const plain = await sealing.open(place(tenantId, id, 'sealed_view'), sealedView)
  // Sealed by sealView in this form.
  return readOwnJson(plain) as PresentationView
}

/** Seals what is needed to answer. */
export function sealPending(
  sealing: Sealing,
  tenantId: TenantId,
  id: string,
  request: AnswerableRequest,
): Promise<Buffer> {
  return sealing.seal(place(tenantId, id, 'sealed_request'), JSON.stringify(request))
}

/** Opens what is needed to answer. @throws Fault `state.invalid` if it was deleted: then the status is final. */
export async function openPending(
  sealing: Sealing,
  tenantId: TenantId,
  { id, sealedRequest }: Pick<SealedPresentation, 'id' | 'sealedRequest'>,
): Promise<AnswerableRequest> {
  if (sealedRequest === null) throw new Fault('state.invalid')
  const plain = await sealing.open(place(tenantId, id, 'sealed_request'), sealedRequest)
  // Sealed by sealPending in this form.
  return readOwnJson(plain) as AnswerableRequest
}

/** Seals an answer as it is sent. */
export function sealAnswer(sealing: Sealing, tenantId: TenantId, id: string, body: string): Promise<Buffer> {
  return sealing.seal(place(tenantId, id, 'sealed_answer'), body)
}

/** Opens an answer to send it again. */
export async function openAnswer(sealing: Sealing, tenantId: TenantId, id: string, sealed: Buffer): Promise<string> {
  return (await sealing.open(place(tenantId, id, 'sealed_answer'), sealed)).toString('utf8')
}

function place(tenantId: TenantId, row: string, column: 'sealed_view' | 'sealed_request' | 'sealed_answer') {
  return { tenantId, table: 'wallet_presentation', column, row }
}
