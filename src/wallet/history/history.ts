import type { PresentationView } from '../presentations/presentation.ts'
import type { HistoryStatus, PresentationTrace } from './schemas.ts'

type DisclosureState = PresentationTrace['disclosed']

/** Returns whether the verifier received the credentials, by the state of the presentation. */
export function disclosureStateOf(status: HistoryStatus, isAnswering: boolean): DisclosureState {
  if (status === 'answered') return 'yes'
  return status === 'failed' || (status === 'pending' && isAnswering) ? 'unknown' : 'no'
}

/**
 * Returns what the history shows of a presentation.
 *
 * @param types By credential id.
 */
export function traceOf(
  view: PresentationView,
  disclosed: DisclosureState,
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
