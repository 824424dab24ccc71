import type { Caller, UserId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { holderOf } from '../credentials/holder.ts'
import { type AnswerableRequest, type PresentationView, presentationStatusAt } from './presentation.ts'
import { findPresentation, type SealedPresentation } from './presentation-store.ts'
import { openRequest, openView } from './sealed-presentation.ts'

/** A pending presentation, with what is needed to answer it. */
export type OpenPresentation = {
  readonly platform: Platform
  readonly caller: Caller
  readonly userId: UserId
  readonly row: SealedPresentation
  readonly request: AnswerableRequest
  readonly view: PresentationView
}

/** Reads a pending presentation of the caller. @throws Fault `holder.missing`, `resource.unknown`, `state.invalid` */
export async function openPresentation(platform: Platform, caller: Caller, id: string): Promise<OpenPresentation> {
  const userId = holderOf(caller)
  const { tenantId } = caller
  const row = await platform.store.single(tenantId, (tx) => findPresentation(tx, userId, id))
  if (row === null) throw new Fault('resource.unknown')
  const status = presentationStatusAt(row, platform.clock.now())
  if (status !== 'pending') throw notPending(status)
  // deleted when the status became final
  if (row.sealedRequest === null) throw new Fault('state.invalid')
  const request = await openRequest(platform.sealing, tenantId, id, row.sealedRequest)
  const view = await openView(platform.sealing, tenantId, id, row.sealedView)
  return { platform, caller, userId, row, request, view }
}

/** Returns the refusal of an answer to a presentation that is no longer pending. */
export function notPending(what: string): Fault {
  return new Fault('state.invalid', { detail: `The presentation is ${what}; only a pending one can be answered.` })
}
