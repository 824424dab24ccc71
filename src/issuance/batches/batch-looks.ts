import type { Caller } from '../../caller.ts'
import type { BatchView } from '../../contract/issuance/batches.ts'
import type { Platform } from '../../platform.ts'
import { recordLook } from '../offers/offer-looks.ts'

/** Records that a caller other than the creator of a batch was shown its offer links, if it has any. */
export async function recordBatchLook(
  platform: Platform,
  caller: Caller,
  { id, done, createdBy }: Pick<BatchView, 'id' | 'done' | 'createdBy'>,
): Promise<void> {
  const isCreator = createdBy?.kind === caller.actor.kind && createdBy.id === caller.actor.id
  if (done > 0 && !isCreator) await recordLook(platform, caller, { kind: 'issuance_batch', ids: [id] })
}
