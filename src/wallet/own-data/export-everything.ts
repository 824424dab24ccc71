import type { ListRequest } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { listHeldRaw } from '../credentials/get-credential.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { listHistory } from '../history/list-history.ts'
import { listOwnSubscriptions } from '../push-subscriptions/subscribe.ts'
import type { WalletExport } from './schemas.ts'

const PAGE = 100
/** A wallet has at most 1,000 credentials; of a longer history the newest 10,000 entries are exported, and the export says so. */
const PAGES_MAX = 100

/**
 * Returns everything that the caller's wallet knows, except private keys: credentials as they were issued, the history, and the browsers
 * that messages are sent to.
 *
 * @throws Fault `holder.missing`
 */
export async function exportEverything(
  platform: Platform,
  caller: Caller,
  language: string | undefined,
): Promise<WalletExport> {
  const { rows: held } = await allOf((list) => listHeldRaw(platform, caller, list))
  const ids = held.map(({ id }) => id)
  const details = await describeCredentials(platform, caller, ids, language)
  const history = await allOf((list) => listHistory(platform, caller, {}, list))
  return {
    exportedAt: platform.clock.now().toISOString(),
    credentials: held.map(({ raw, ...credential }) => {
      const about = details.get(credential.id)
      return { credential, ...(about !== undefined && { details: about }), issued: raw }
    }),
    history: history.rows,
    hasOlderHistory: history.hasMore,
    pushSubscriptions: await listOwnSubscriptions(platform, caller),
  }
}

async function allOf<Row extends { readonly id: string }>(
  read: (list: ListRequest) => Promise<readonly Row[]>,
): Promise<{ readonly rows: Row[]; readonly hasMore: boolean }> {
  const all: Row[] = []
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const sort = { field: 'createdAt', descending: true }
    const rows = await read({ size: PAGE, after: all.at(-1)?.id ?? null, before: null, sort, readDescending: true })
    all.push(...rows.slice(0, PAGE))
    if (rows.length <= PAGE) return { rows: all, hasMore: false }
  }
  return { rows: all, hasMore: true }
}
