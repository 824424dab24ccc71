import type { PresentationTrace } from '../../contract/wallet/history.ts'
import type { PresentationView } from '../presentations/presentation.ts'

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
