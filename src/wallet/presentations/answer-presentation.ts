import type { Caller } from '../../caller.ts'
import type { AnswerBody } from '../../contract/wallet/presentations.ts'
import { Fault } from '../../fault.ts'
import { isSame } from '../../http/routes/entity-tag.ts'
import type { Platform } from '../../platform.ts'
import { buildErrorResponse, buildResponse } from '../../protocols/openid4vp/response.ts'
import { newLease } from '../../store/lease.ts'
import { nullIfRefused } from '../../store/store.ts'
import { untilConfirmed } from '../../store/until-confirmed.ts'
import { buildVpToken } from './build-vp-token.ts'
import { chooseNamed, chooseProposed } from './choose-answer.ts'
import { requireConfirmation } from './confirm-sharing.ts'
import { openCopies } from './open-copies.ts'
import { notPending, type OpenPresentation, openPresentation } from './open-presentation.ts'
import type { PresentationAnswer } from './prepare-presentation.ts'
import { alsoDisclosedOf, type CredentialChoice, listCandidates, selectedOf } from './presentable.ts'
import { type PresentationView, presentationMeta, showPresentation } from './presentation.ts'
import { beginAnswer, endAnswer, findPresentation, pauseAnswer, showRejection } from './presentation-store.ts'
import { previewPresentation } from './preview-presentation.ts'
import { openAnswer, sealAnswer, sealView } from './sealed-presentation.ts'
import { sendAnswer } from './send-answer.ts'
import { assignTransactions } from './transactions.ts'

/** How long a call may take to send an answer, before a repetition may send it again. Longer than any outbound call. */
const LEASE_MS = 15_000

/** An answer as it is stored before it is sent. `body`: the form to post. */
type StoredAnswer = {
  readonly id: string
  readonly credentialIds: readonly string[]
  readonly sealedAnswer: Buffer
  readonly sealedView: Buffer
  readonly body: string
}

/**
 * Sends the holder's answer to the verifier.
 *
 * The order is the design: the answer is made and signed first; then one statement takes the lease and stores the
 * answer; then it is sent; then the status becomes final. If the verifier does not confirm it, the presentation stays
 * pending with an `error` that says so, and a repetition of the call sends the same answer again. If the time to answer
 * ends before that, the presentation fails with that error.
 *
 * @param ifMatch The tag of what the holder was shown: if that changed, nothing is sent.
 * @throws Fault `holder.missing`, `resource.unknown`, `resource.changed`, `state.invalid`, `credential.unmatched`,
 *   `request.invalid`, `presentation.confirmation_required`, `presentation.undelivered`, `presentation.closed`,
 *   `presentation.postponed`, `presentation.unconfirmed`, `upstream.*`
 */
export async function answerPresentation(
  platform: Platform,
  caller: Caller,
  id: string,
  answer: AnswerBody,
  ifMatch?: string,
): Promise<PresentationAnswer> {
  const open = await openPresentation(platform, caller, id)
  await refuseChanged(open, ifMatch)
  if (open.row.sealedAnswer !== null) return repeat(open, open.row.sealedAnswer, answer)
  if (answer.status === 'rejected') return reject(open)
  await requireConfirmation(open, answer)
  const { request, view, userId } = open
  const named = answer.selectedCredentials
  const ids = (named ?? view.selected).map(({ credentialId }) => credentialId)
  const candidates = await listCandidates(platform, caller, userId, request, ids)
  const choices =
    named === undefined ? chooseProposed(request, candidates, view) : chooseNamed(request, candidates, named)
  return present(open, choices)
}

async function refuseChanged(
  { platform, caller, row, view }: OpenPresentation,
  ifMatch: string | undefined,
): Promise<void> {
  if (ifMatch === undefined || row.sealedAnswer !== null) return
  const { etag } = await previewPresentation(platform, caller, row, view)
  if (!isSame(ifMatch, etag)) throw new Fault('resource.changed')
}

async function present(open: OpenPresentation, choices: readonly CredentialChoice[]): Promise<PresentationAnswer> {
  const { platform, caller, row, request } = open
  const { sealing } = platform
  // before copies are taken: an answer that cannot authorize the transaction is not made
  const transactions = assignTransactions(choices, request.transactions)
  const view = { ...open.view, selected: selectedOf(choices), alsoDisclosed: alsoDisclosedOf(choices) }
  const ids = view.selected.map(({ credentialId }) => credentialId)
  const copies = await openCopies(platform, { tenantId: caller.tenantId, userId: open.userId }, ids)
  const token = await buildVpToken(choices, request, { copies, transactions }, platform.clock.now())
  const body = buildResponse(token, request.state, request.recipient)
  const sealedView = await sealView(sealing, caller.tenantId, row.id, { ...view, error: errorOf(unconfirmed()) })
  const sealedAnswer = await sealAnswer(sealing, caller.tenantId, row.id, body)
  const credentialIds = view.selected.map(({ credentialId }) => credentialId)
  return send(
    { ...open, view },
    { id: row.id, credentialIds, sealedView, sealedAnswer, body },
    async (claim, stored, error) => {
      if (isRefusal(error)) await end(open, 'failed', { ...view, error: errorOf(error) }, claim)
      // the verifier postponed the answer, so it does not have it
      else if (error.code === 'presentation.postponed') await pause(open, claim, { ...open.row, sealedAnswer: null })
      else await pause(open, claim, stored)
      return error
    },
  )
}

/** Sends a stored answer again; the verifier may have accepted it the first time. */
async function repeat(open: OpenPresentation, sealedAnswer: Buffer, answer: AnswerBody): Promise<PresentationAnswer> {
  const { platform, caller, row, view } = open
  const { status, selectedCredentials = view.selected } = answer
  const [chosen, sent] = [selectedCredentials, view.selected].map((all) => new Set(all.map((one) => one.credentialId)))
  if (status === 'rejected' || chosen?.symmetricDifference(sent ?? chosen).size !== 0)
    throw notPending('answered otherwise, and the verifier has not confirmed that answer')
  const { error: _, ...shown } = view
  const body = await openAnswer(platform.sealing, caller.tenantId, row.id, sealedAnswer)
  const credentialIds = view.selected.map(({ credentialId }) => credentialId)
  return send({ ...open, view: shown }, { ...row, credentialIds, sealedAnswer, body }, async (claim, stored, error) => {
    if (!isRefusal(error)) {
      await pause(open, claim, stored)
      return error
    }
    // a verifier that accepted it the first time refuses it now
    await end(open, 'failed', view, claim)
    return unconfirmed(error)
  })
}

/**
 * Takes the lease, sends, and ends what the verifier confirmed.
 *
 * @param settle Handles a failure and returns the error for the caller.
 */
async function send(
  open: OpenPresentation,
  stored: StoredAnswer,
  settle: (claim: string, stored: StoredAnswer, error: Fault) => Promise<Fault>,
): Promise<PresentationAnswer> {
  const { platform, caller, userId, request } = open
  const now = platform.clock.now()
  const lease = newLease(now, LEASE_MS)
  const begun = await untilConfirmed(() =>
    platform.store.single(caller.tenantId, (tx) => beginAnswer(tx, userId, { ...stored, ...lease }, now)),
  )
  if (!begun) throw notPending('being answered, answered by another call, or expired')
  let redirectUri: string | null
  try {
    redirectUri = await sendAnswer({ ...platform, tenantId: caller.tenantId }, request.responseUri, stored.body)
  } catch (error) {
    const fault = error instanceof Fault ? error : new Fault('server.unexpected', { cause: error })
    throw await settle(lease.claim, stored, fault)
  }
  return end(open, 'answered', { ...open.view, ...(redirectUri !== null && { redirectUri }) }, lease.claim)
}

/**
 * Records the refusal of the holder, then notifies the verifier. The refusal is final even if the verifier is out of
 * reach.
 */
async function reject(open: OpenPresentation): Promise<PresentationAnswer> {
  const { platform, caller, userId, row, request } = open
  const { data, meta } = await end(open, 'rejected', open.view, null)
  // [VP-S2] the same code as if nothing had matched [DCQL-4]
  const refusal = buildErrorResponse('access_denied', request.state, request.recipient)
  const outcome = await sendAnswer({ ...platform, tenantId: caller.tenantId }, request.responseUri, refusal).then(
    (redirectUri) => (redirectUri === null ? {} : { redirectUri }),
    (error: unknown) => {
      if (error instanceof Fault) return { error: errorOf(error) }
      throw error
    },
  )
  const sealedView = await sealView(platform.sealing, caller.tenantId, row.id, { ...open.view, ...outcome })
  const { id } = row
  const now = platform.clock.now()
  await untilConfirmed(() =>
    platform.store.single(caller.tenantId, (tx) => showRejection(tx, userId, { id, sealedView }, now)),
  )
  return { data: { ...data, updatedAt: now.toISOString() }, meta: { ...meta, ...outcome } }
}

/** Releases the lease. If that fails, it expires within seconds. */
function pause(
  { platform, caller, userId, row: { id } }: OpenPresentation,
  claim: string,
  left: Parameters<typeof pauseAnswer>[3],
) {
  return untilConfirmed(() =>
    platform.store.single(caller.tenantId, (tx) => pauseAnswer(tx, userId, { id, claim }, left)),
  )
}

async function end(
  { platform, caller, userId, row: { id } }: OpenPresentation,
  status: 'answered' | 'rejected' | 'failed',
  view: PresentationView,
  claim: string | null,
): Promise<PresentationAnswer> {
  const { tenantId } = caller
  const now = platform.clock.now()
  const ending = { id, status, sealedView: await sealView(platform.sealing, tenantId, id, view), claim }
  const credentialIds = status === 'answered' ? view.selected.map(({ credentialId }) => credentialId) : []
  const detail = { verifier: view.verifier.clientId, credentialIds }
  const subject = { kind: 'wallet_presentation', id } as const
  const entry = { action: `wallet_presentation.${status}`, subject, by: caller, detail } as const
  const row = await untilConfirmed(async () => {
    const ended = await nullIfRefused(
      platform.store.single(tenantId, (tx) => endAnswer(tx, userId, ending, entry, now)),
    )
    return ended ?? platform.store.single(tenantId, (tx) => findPresentation(tx, userId, id))
  })
  // An attempt whose database answer was lost may have ended it; its seal is unique.
  if (!row?.sealedView.equals(ending.sealedView)) throw notPending('answered by another call, or expired')
  return { data: showPresentation(row, view, tenantId, now), meta: presentationMeta(row, view) }
}

function unconfirmed(cause?: Fault): Fault {
  return new Fault('presentation.unconfirmed', { meta: cause?.meta, cause })
}

/** Whether the verifier will not take this answer. */
function isRefusal({ code }: Fault): boolean {
  return code === 'presentation.undelivered' || code === 'presentation.closed'
}

function errorOf({ code, message, meta }: Fault): NonNullable<PresentationView['error']> {
  const rule = meta?.rule
  return { code, message, ...(typeof rule === 'string' && { rule }) }
}
