import type { Caller, UserId } from '../caller.ts'
import { record } from '../events/record.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { buildErrorResponse, buildResponse } from '../protocols/openid4vp/response.ts'
import { buildVpToken, type OpenCopy } from './build-vp-token.ts'
import { chooseNamed, chooseProposed } from './choose-answer.ts'
import { type TakenCopy, takeCopies } from './credential-store.ts'
import { deliverAnswer } from './deliver-answer.ts'
import { holderOf } from './holder.ts'
import type { PresentationAnswer } from './prepare-presentation.ts'
import { besidesOf, type Choice, listCandidates, selectedOf } from './presentable.ts'
import { metaOf, type PendingRequest, type PresentationView, showPresentation, statusAt } from './presentation.ts'
import {
  beginAnswer,
  endAnswer,
  findPresentation,
  releaseAnswer,
  type SealedPresentation,
} from './presentation-store.ts'
import type { AnswerBody, PresentationStatus } from './schemas.ts'
import { openCopy } from './sealed-copy.ts'
import { openPending, openView, sealView } from './sealed-presentation.ts'

/** A presentation that is open, with what is needed to answer it. */
type Open = {
  readonly userId: UserId
  readonly row: SealedPresentation
  readonly request: PendingRequest
  readonly view: PresentationView
}

/**
 * Gives the holder's answer to the verifier.
 *
 * The order is the design: what to send is worked out first; then one statement decides which of several answers it is and takes the copies;
 * then it is signed and sent; then the status becomes final. An answer that does not arrive makes the presentation fail, for good: the
 * verifier may have seen it. Only a verifier that asks for it later leaves it pending. A process that dies in between leaves it to the
 * sweep, which says failed.
 *
 * @throws Fault `holder.missing`, `resource.unknown`, `state.invalid`, `credential.unmatched`, `request.invalid`, `presentation.undelivered`, `presentation.postponed`,
 *   `upstream.*`
 */
export async function answerPresentation(
  platform: Platform,
  caller: Caller,
  id: string,
  { status, selectedCredentials }: AnswerBody,
): Promise<PresentationAnswer> {
  const open = await openPresentation(platform, caller, id)
  if (status === 'rejected') return reject(platform, caller, open)
  const candidates = await listCandidates(platform, caller, open.userId, open.request.formats)
  const { query } = open.request
  const choices =
    selectedCredentials === undefined
      ? chooseProposed(query, candidates, open.view.selected)
      : chooseNamed(query, candidates, selectedCredentials)
  return present(platform, caller, open, choices)
}

async function openPresentation(platform: Platform, caller: Caller, id: string): Promise<Open> {
  const userId = holderOf(caller)
  const { tenantId } = caller
  const row = await platform.store.single(tenantId, (tx) => findPresentation(tx, userId, id))
  if (row === null) throw new Fault('resource.unknown')
  const status = statusAt(row, platform.clock.now())
  if (status !== 'pending' || row.isAnswering) throw notPending(row.isAnswering ? 'being answered' : status)
  const request = await openPending(platform.sealing, tenantId, row)
  return { userId, row, request, view: await openView(platform.sealing, tenantId, row) }
}

async function present(
  platform: Platform,
  caller: Caller,
  open: Open,
  choices: readonly Choice[],
): Promise<PresentationAnswer> {
  const { request } = open
  const selected = selectedOf(choices)
  const view = { ...open.view, selected, besides: besidesOf(choices) }
  const ids = selected.map(({ credentialId }) => credentialId)
  const sealedView = await sealView(platform.sealing, caller.tenantId, open.row.id, view)
  const taken = await begin(platform, caller, open, { ids, sealedView })
  try {
    const token = buildVpToken(choices, request, await openCopies(platform, caller, taken), platform.clock.now())
    const redirectUri = await deliverAnswer(platform, request.responseUri, buildResponse(token, request.state))
    return await end(platform, caller, open, 'answered', {
      ...view,
      ...(redirectUri === null ? {} : { redirectUri }),
    })
  } catch (error) {
    if (error instanceof Fault && error.code === 'presentation.postponed') {
      await platform.store.single(caller.tenantId, (tx) => releaseAnswer(tx, open.userId, open.row))
      throw error
    }
    const shown = error instanceof Fault ? error : new Fault('server.unexpected', { cause: error })
    const failure = { code: shown.code, message: shown.message }
    await end(platform, caller, open, 'failed', { ...view, error: failure })
    throw error
  }
}

/** The holder says no, and that stands whether or not the verifier can be told. */
async function reject(platform: Platform, caller: Caller, open: Open): Promise<PresentationAnswer> {
  const { request, view } = open
  await begin(platform, caller, open, { ids: [], sealedView: open.row.sealedView })
  try {
    // [VP-S2] the same code as if nothing had matched [DCQL-4]
    const refusal = buildErrorResponse('access_denied', null, request.state)
    const redirectUri = await deliverAnswer(platform, request.responseUri, refusal)
    return await end(platform, caller, open, 'rejected', { ...view, ...(redirectUri === null ? {} : { redirectUri }) })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return end(platform, caller, open, 'rejected', { ...view, error: { code: error.code, message: error.message } })
  }
}

async function begin(
  platform: Platform,
  { tenantId }: Caller,
  { userId, row }: Open,
  { ids, sealedView }: { readonly ids: readonly string[]; readonly sealedView: Buffer },
) {
  const now = platform.clock.now()
  return platform.store.inTenant(tenantId, async (tx) => {
    if (!(await beginAnswer(tx, userId, { id: row.id, sealedView }, now)))
      throw notPending('answered by somebody else, or expired')
    if (ids.length === 0) return []
    const taken = await takeCopies(tx, userId, ids, now)
    // one was removed or rejected at this very moment: nothing has begun
    if (taken.length !== ids.length) throw new Fault('credential.unmatched')
    return taken
  })
}

async function openCopies(
  { sealing }: Platform,
  { tenantId }: Caller,
  taken: readonly TakenCopy[],
): Promise<ReadonlyMap<string, OpenCopy>> {
  const opened = taken.map(async (copy) => [copy.credentialId, await openCopy(sealing, tenantId, copy)] as const)
  return new Map(await Promise.all(opened))
}

async function end(
  platform: Platform,
  caller: Caller,
  { userId, row }: Open,
  status: PresentationStatus,
  view: PresentationView,
): Promise<PresentationAnswer> {
  const { tenantId } = caller
  const now = platform.clock.now()
  const sealedView = await sealView(platform.sealing, tenantId, row.id, view)
  const ended = await platform.store.inTenant(tenantId, async (tx) => {
    const found = await endAnswer(tx, userId, row.id, { status, sealedView }, now)
    const credentialIds = status === 'answered' ? view.selected.map(({ credentialId }) => credentialId) : []
    const detail = { verifier: view.verifier.clientId, credentialIds }
    const subject = { kind: 'wallet-presentation', id: row.id }
    await record(tx, { action: `wallet.presentation.${status}`, subject, by: caller, detail }, now)
    return found
  })
  if (ended === null) throw notPending('ended by the sweep')
  return { data: showPresentation(ended, view, tenantId, now), meta: metaOf(ended, view) }
}

function notPending(what: string): Fault {
  return new Fault('state.invalid', { detail: `The presentation is ${what}; only a pending one can be answered.` })
}
