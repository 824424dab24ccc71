import type { HistoryEntry, PresentationTrace } from '../../contract/wallet/history.ts'
import type { PresentationView } from '../presentations/presentation.ts'
import type { SharedLinkView } from '../shared-links/card-link.ts'
import type { HistoryRow } from './history-store.ts'

/**
 * Returns what the history shows of a presentation.
 *
 * @param types By credential id.
 */
export function traceOf(
  view: PresentationView,
  disclosed: PresentationTrace['disclosed'],
  types: ReadonlyMap<string, string>,
): PresentationTrace {
  const { verifier, purposes, selected, alsoDisclosed = [], error } = view
  return {
    verifier,
    ...(purposes.length === 0 ? {} : { purpose: purposes.join(' ') }),
    disclosed,
    selectedCredentials: selected.map(({ credentialId, matchedAttributes }) => ({
      credentialId,
      vct: types.get(credentialId) ?? null,
      matchedAttributes: [...matchedAttributes],
      alsoDisclosed: alsoDisclosed
        .filter((one) => one.credentialId === credentialId)
        .flatMap((one) => [...one.attributes]),
    })),
    ...(error === undefined ? {} : { error }),
  }
}

/** Returns what the history shows of a link: for whom, what by name, and when it was viewed. */
export function linkTraceOf(
  { credentialId, views, viewedAt, hours, counts }: NonNullable<HistoryRow['link']>,
  { vct, recipient, purpose, claims }: SharedLinkView,
): NonNullable<HistoryEntry['sharedLink']> {
  return {
    credentialId,
    vct,
    recipient,
    purpose,
    claims: [...claims],
    views,
    ...(viewedAt !== null && { viewedAt: new Date(viewedAt).toISOString() }),
    viewsByHour: hours.map((hour, position) => ({ hour: new Date(hour).toISOString(), views: counts[position] ?? 1 })),
  }
}
