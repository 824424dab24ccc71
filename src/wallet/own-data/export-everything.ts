import type { ListRequest } from '../../api/list.ts'
import { StreamedItems, streamedAnswer } from '../../api/streamed-answer.ts'
import type { Caller } from '../../caller.ts'
import { WalletExport } from '../../contract/wallet/whole-wallet.ts'
import type { RawAnswer } from '../../http/routes/route.ts'
import { writer } from '../../http/server/write.ts'
import type { Platform } from '../../platform.ts'
import { listHeldRaw } from '../credentials/get-credential.ts'
import { holderOf } from '../credentials/holder.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { listHistory } from '../history/list-history.ts'
import { listOwnSubscriptions } from '../push-subscriptions/subscribe.ts'
import { listSharedLinks } from '../shared-links/own-links.ts'

/** Credentials of up to 1 MiB each that are read at a time. */
const CREDENTIALS_PER_READ = 3
const ENTRIES_PER_READ = 100
/** Of a longer history the newest entries are exported, and the export says so. */
const ENTRIES_MAX = 10_000

const { credentials, history, sharedLinks, pushSubscriptions } = WalletExport.properties
const writeCredential = writer(credentials.items, true)
const writeEntry = writer(history.items, true)
const writeLink = writer(sharedLinks.items, true)
const writeSubscription = writer(pushSubscriptions.items, true)

/**
 * Returns everything that the caller's wallet knows, except private keys: credentials as they were issued, the history,
 * links, and the browsers that messages are sent to. It is read as the client takes it.
 *
 * @throws Fault `holder.missing`
 */
export function exportEverything(platform: Platform, caller: Caller, language: string | undefined): RawAnswer {
  holderOf(caller)
  const read = (list: ListRequest) => listHistory(platform, caller, {}, list)
  const readLinks = (list: ListRequest) => listSharedLinks(platform, caller, null, list)
  let hasOlderHistory = false
  const entries = pagesOf(read, ENTRIES_PER_READ, ENTRIES_MAX, () => {
    hasOlderHistory = true
  })
  const subscriptions = async function* () {
    yield await listOwnSubscriptions(platform, caller)
  }
  return streamedAnswer({
    exportedAt: platform.clock.now().toISOString(),
    credentials: new StreamedItems(heldPages(platform, caller, language), writeCredential),
    history: new StreamedItems(entries, writeEntry),
    hasOlderHistory: () => hasOlderHistory,
    sharedLinks: new StreamedItems(
      pagesOf(readLinks, ENTRIES_PER_READ, Number.POSITIVE_INFINITY, () => undefined),
      writeLink,
    ),
    pushSubscriptions: new StreamedItems(subscriptions(), writeSubscription),
  })
}

/** The credentials as they were issued, with what the wallet knows about each. */
async function* heldPages(platform: Platform, caller: Caller, language: string | undefined) {
  const read = (list: ListRequest) => listHeldRaw(platform, caller, list)
  for await (const held of pagesOf(read, CREDENTIALS_PER_READ, Number.POSITIVE_INFINITY, () => undefined)) {
    const ids = held.map(({ id }) => id)
    const known = await describeCredentials(platform, caller, ids, language)
    yield held.map(({ raw, ...credential }) => {
      const details = known.get(credential.id)
      return { credential, ...(details !== undefined && { details }), issued: raw }
    })
  }
}

/**
 * The rows of a list from the newest on, page by page.
 *
 * @param onMore Called when there are more rows than `rowsMax`.
 */
async function* pagesOf<Row extends { readonly id: string }>(
  read: (list: ListRequest) => Promise<readonly Row[]>,
  size: number,
  rowsMax: number,
  onMore: () => void,
): AsyncGenerator<readonly Row[]> {
  const sort = { field: 'createdAt', descending: true }
  for (let count = 0, after: string | null = null; ; ) {
    const end = { isEarly: false }
    const rows = await read({ size, after, before: null, sort, readDescending: true, end })
    const page = rows.slice(0, size)
    yield page
    count += page.length
    if (rows.length <= size && !end.isEarly) return
    if (count >= rowsMax) return onMore()
    after = page.at(-1)?.id ?? null
  }
}
