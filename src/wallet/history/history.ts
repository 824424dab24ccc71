import type { PresentationView, VerifierIdentity } from '../presentations/presentation.ts'

/** What a line of the history is about. */
export const historyKinds = ['credential', 'presentation'] as const
/** One of {@link historyKinds}. */
export type HistoryKind = (typeof historyKinds)[number]

/** What became of it: of a credential the consent of the holder, until it is removed; of a presentation the answer. */
export const historyStatuses = ['pending', 'accepted', 'rejected', 'removed', 'answered', 'failed', 'expired'] as const
/** One of {@link historyStatuses}. */
export type HistoryStatus = (typeof historyStatuses)[number]

/** Whether the verifier got something. `unknown`: the answer was sent, and nobody knows what the verifier saw of it. */
export type DisclosureState = 'yes' | 'no' | 'unknown'

/** What was shown of one credential, as the paths of claims. Its type is null if nobody knows it any more. */
export type HistorySelection = {
  readonly credentialId: string
  readonly vct: string | null
  readonly matchedAttributes: string[]
  readonly alsoDisclosed: string[]
}

/** What is told of a presentation. */
export type PresentationTrace = {
  readonly verifier: VerifierIdentity
  readonly purpose?: string
  readonly disclosed: DisclosureState
  readonly selectedCredentials: HistorySelection[]
  readonly error?: { readonly code: string; readonly message: string }
}

/** What a verifier got, as far as the state of the presentation tells. */
export function disclosureStateOf(status: HistoryStatus, isAnswering: boolean): DisclosureState {
  if (status === 'answered') return 'yes'
  return status === 'failed' || (status === 'pending' && isAnswering) ? 'unknown' : 'no'
}

/**
 * What the history tells of a presentation: the ones that were, or would have been, shown.
 *
 * @param types By the id of the credential.
 */
export function traceOf(
  view: PresentationView,
  disclosed: DisclosureState,
  types: ReadonlyMap<string, string>,
): PresentationTrace {
  const { verifier, purposes, selected, besides = [], error } = view
  return {
    verifier,
    ...(purposes.length === 0 ? {} : { purpose: purposes.join(' ') }),
    disclosed,
    selectedCredentials: selected.map(({ credentialId, matchedAttributes }) => ({
      credentialId,
      vct: types.get(credentialId) ?? null,
      matchedAttributes: [...matchedAttributes],
      alsoDisclosed: besides.filter((one) => one.credentialId === credentialId).flatMap((one) => [...one.attributes]),
    })),
    ...(error === undefined ? {} : { error }),
  }
}
