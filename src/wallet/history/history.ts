import type { PresentationView, VerifierIdentity } from '../presentations/presentation.ts'

/** Kinds of history entries. */
export const historyKinds = ['credential', 'presentation'] as const
/** One of {@link historyKinds}. */
export type HistoryKind = (typeof historyKinds)[number]

/** Statuses of history entries: of a credential the holder's consent, until it is removed; of a presentation the answer. */
export const historyStatuses = ['pending', 'accepted', 'rejected', 'removed', 'answered', 'failed', 'expired'] as const
/** One of {@link historyStatuses}. */
export type HistoryStatus = (typeof historyStatuses)[number]

/** Whether the verifier received the credentials. `unknown`: the answer was sent, but the verifier did not confirm it. */
type DisclosureState = 'yes' | 'no' | 'unknown'

/** The disclosed claim paths of one credential. `vct` is null if it is not known any more. */
type HistorySelection = {
  readonly credentialId: string
  readonly vct: string | null
  readonly matchedAttributes: string[]
  readonly alsoDisclosed: string[]
}

/** What the history shows of a presentation. */
export type PresentationTrace = {
  readonly verifier: VerifierIdentity
  readonly purpose?: string
  readonly disclosed: DisclosureState
  readonly selectedCredentials: HistorySelection[]
  readonly error?: { readonly code: string; readonly message: string }
}

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
