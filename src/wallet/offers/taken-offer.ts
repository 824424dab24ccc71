import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { listTaken } from '../credentials/get-credential.ts'
import type { Holder } from '../credentials/holder.ts'
import { offerHashOf } from './order.ts'

/**
 * Returns the error for a holder whose offer cannot be used. If the wallet has credentials of the same offer, a refusal names them in
 * `meta.takenCredentials`: an answer may have been lost, or the offer is opened again.
 */
export async function withTaken(
  platform: Pick<Platform, 'store'>,
  holder: Pick<Holder, 'tenantId' | 'userId'>,
  credentialOffer: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Fault) || error.code !== 'offer.unusable') return error
  const takenCredentials = await listTaken(platform, holder, offerHashOf(credentialOffer)).catch(() => [])
  if (takenCredentials.length === 0) return error
  const { code, detail, meta, isFinal } = error
  return new Fault(code, { detail, meta: { ...meta, takenCredentials }, isFinal, cause: error })
}
