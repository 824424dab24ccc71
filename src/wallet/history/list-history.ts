import type { ListRequest } from '../../api/list.ts'
import type { Caller, TenantId, UserId } from '../../caller.ts'
import type { CredentialDisplay } from '../../contract/wallet/card-display.ts'
import type { HistoryEntry } from '../../contract/wallet/history.ts'
import type { PresentationStatus } from '../../contract/wallet/presentations.ts'
import type { Platform } from '../../platform.ts'
import { holderOf } from '../credentials/holder.ts'
import { type CredentialTrace, openTrace } from '../credentials/sealed-trace.ts'
import { type DisplayNeeds, describeCredentials } from '../display/describe-credentials.ts'
import { knownIssuer } from '../display/known-issuer.ts'
import { disclosureStateOf, type PresentationView } from '../presentations/presentation.ts'
import { openView } from '../presentations/sealed-presentation.ts'
import { openLinkView } from '../shared-links/sealed-link.ts'
import { linkTraceOf, traceOf } from './history.ts'
import { type HistoryFilter, type HistoryRow, listHistoryRows, listKnownCredentials } from './history-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock'>

type Opened = {
  readonly row: HistoryRow
  readonly credential?: CredentialTrace
  readonly view?: PresentationView
  readonly link?: HistoryEntry['sharedLink']
}

/**
 * Returns a page of the caller's history, and one entry more if there is a next page.
 *
 * @throws Fault `holder.missing`
 */
export async function listHistory(
  platform: Needs,
  caller: Caller,
  filter: HistoryFilter,
  list: ListRequest,
): Promise<HistoryEntry[]> {
  const userId = holderOf(caller)
  const { tenantId } = caller
  const { store, clock } = platform
  const rows = await store.single(tenantId, (tx) => listHistoryRows(tx, userId, filter, list, clock.now()))
  const opened = await Promise.all(rows.map((row) => open(platform, tenantId, row)))
  const shown = opened.flatMap(({ view }) => (view === undefined ? [] : view.selected))
  const types = await typesOf(platform, tenantId, userId, [...new Set(shown.map(({ credentialId }) => credentialId))])
  return opened.map((one) => lineOf(one, types))
}

/** What a page of the history says about its credentials, by id; removed ones have the names that they had. */
export async function describeHistory(
  platform: Needs & DisplayNeeds,
  caller: Caller,
  entries: readonly HistoryEntry[],
  language: string | undefined,
): Promise<Readonly<Record<string, CredentialDisplay>>> {
  const userId = holderOf(caller)
  const { tenantId } = caller
  const ids = new Set(
    entries.flatMap(({ id, kind, presentation, sharedLink }) => {
      if (kind === 'credential') return [id]
      if (sharedLink !== undefined) return [sharedLink.credentialId]
      return (presentation?.selectedCredentials ?? []).map(({ credentialId }) => credentialId)
    }),
  )
  const held = await describeCredentials(platform, { tenantId, userId }, [...ids], language)
  const others = [...ids].filter((id) => !held.has(id))
  const removed = await removedAmong(platform, { tenantId, userId }, others)
  return Object.fromEntries([...[...held].map(([id, { display }]) => [id, display] as const), ...removed])
}

async function removedAmong(
  platform: Needs & DisplayNeeds,
  { tenantId, userId }: { readonly tenantId: TenantId; readonly userId: UserId },
  ids: readonly string[],
): Promise<(readonly [string, CredentialDisplay])[]> {
  if (ids.length === 0) return []
  const { store, sealing } = platform
  const { removed } = await store.inTenant(tenantId, (tx) => listKnownCredentials(tx, userId, ids))
  return Promise.all(
    removed.map(async ({ id, sealedView }) => {
      const { name = null, issuerName = null, credentialIssuer } = await openTrace(sealing, tenantId, id, sealedView)
      const { trust } = await knownIssuer(platform, tenantId, credentialIssuer)
      return [id, { name, issuer: { name: issuerName, identifier: credentialIssuer, trust }, labels: [] }] as const
    }),
  )
}

async function open({ sealing }: Pick<Platform, 'sealing'>, tenantId: TenantId, row: HistoryRow): Promise<Opened> {
  const { id, kind, format, vct, iss, statedIss, credentialIssuer, standing, sealedView } = row
  if (sealedView === null) {
    // A row without a seal is a credential in the wallet.
    const more = { ...(statedIss !== null && { statedIss }), ...(standing !== null && { standing }) }
    const credential = { vct, format, iss, credentialIssuer, ...more } as CredentialTrace
    return { row, credential }
  }
  if (kind === 'presentation') return { row, view: await openView(sealing, tenantId, id, sealedView) }
  if (kind === 'sharedLink' && row.link !== null)
    return { row, link: linkTraceOf(row.link, await openLinkView(sealing, tenantId, id, sealedView)) }
  const { name: _, issuerName: __, ...credential } = await openTrace(sealing, tenantId, id, sealedView)
  return { row, credential }
}

/** Returns the types of credentials by id, removed ones included. */
async function typesOf(
  { store, sealing }: Needs,
  tenantId: TenantId,
  userId: UserId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const { held, removed } = await store.inTenant(tenantId, (tx) => listKnownCredentials(tx, userId, ids))
  const opened = removed.map(
    async ({ id, sealedView }) => [id, (await openTrace(sealing, tenantId, id, sealedView)).vct] as const,
  )
  return new Map([...held.map(({ id, vct }) => [id, vct] as const), ...(await Promise.all(opened))])
}

function lineOf({ row, credential, view, link }: Opened, types: ReadonlyMap<string, string>): HistoryEntry {
  const { id, kind, status, isAnswering, createdAt, updatedAt } = row
  return {
    id,
    kind,
    status,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    ...(credential !== undefined && { credential }),
    ...(link !== undefined && { sharedLink: link }),
    ...(view !== undefined && {
      // A row with a view is a presentation.
      presentation: traceOf(view, disclosureStateOf(status as PresentationStatus, isAnswering, view.error), types),
    }),
  }
}
