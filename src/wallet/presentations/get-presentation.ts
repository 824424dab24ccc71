import type { ListRequest } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import type { PresentationStatus, PresentationSummary, ShownPresentation } from '../../contract/wallet/presentations.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { holderOf } from '../credentials/holder.ts'
import { needsConfirmation } from './confirm-sharing.ts'
import type { PresentationAnswer } from './prepare-presentation.ts'
import { disclosureStateOf, presentationMeta, showPresentation } from './presentation.ts'
import { findPresentation, listPresentations } from './presentation-store.ts'
import { previewPresentation } from './preview-presentation.ts'
import { openView } from './sealed-presentation.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'memory' | 'urls'>

/** Returns one presentation of the caller. @throws Fault `holder.missing`, `resource.unknown` */
export async function getPresentation(
  platform: Needs,
  caller: Caller,
  id: string,
  language?: string,
): Promise<PresentationAnswer & { readonly etag: string }> {
  const userId = holderOf(caller)
  const { tenantId } = caller
  const row = await platform.store.single(tenantId, (tx) => findPresentation(tx, userId, id))
  if (row === null) throw new Fault('resource.unknown')
  const view = await openView(platform.sealing, tenantId, id, row.sealedView)
  const { claims, credentials, etag, unmatched } = await previewPresentation(platform, caller, row, view, language)
  const data = showPresentation(row, view, tenantId, platform.clock.now())
  const isAsked = data.status === 'pending' && (await needsConfirmation(platform, tenantId))
  const shown = { preview: claims, credentials: Object.fromEntries(credentials) }
  return {
    data,
    meta: { ...presentationMeta(row, { ...view, unmatched }), ...shown, ...(isAsked && { needsConfirmation: true }) },
    etag,
  }
}

/**
 * Returns a page of the caller's presentations, and one more if there is a next page.
 *
 * @throws Fault `holder.missing`
 */
export async function listShared(
  platform: Needs,
  caller: Caller,
  status: PresentationStatus | null,
  list: ListRequest,
): Promise<(ShownPresentation & { readonly about: PresentationSummary })[]> {
  const userId = holderOf(caller)
  const { tenantId } = caller
  const now = platform.clock.now()
  const rows = await platform.store.single(tenantId, (tx) => listPresentations(tx, userId, status, list, now))
  return Promise.all(
    rows.map(async (row) => {
      const view = await openView(platform.sealing, tenantId, row.id, row.sealedView)
      const shown = showPresentation(row, view, tenantId, now)
      const disclosed = disclosureStateOf(shown.status, row.isAnswering, view.error)
      return { ...shown, about: { verifier: view.verifier, expiresAt: row.expiresAt.toISOString(), disclosed } }
    }),
  )
}

/**
 * Returns the logo of the verifier, as it was when the request arrived.
 *
 * @throws Fault `holder.missing`, `resource.unknown`
 */
export async function getVerifierLogo(platform: Needs, caller: Caller, id: string) {
  const { tenantId } = caller
  const userId = holderOf(caller)
  const row = await platform.store.single(tenantId, (tx) => findPresentation(tx, userId, id))
  const view = row === null ? null : await openView(platform.sealing, tenantId, id, row.sealedView)
  if (view?.logo === undefined) throw new Fault('resource.unknown')
  return view.logo
}
