import { Fault } from '../../fault.ts'
import { planSelection, type Selection } from '../../protocols/dcql/select-credentials.ts'
import { type Candidate, type CredentialChoice, choicesFor, selectedOf, selectPresentable } from './presentable.ts'
import type { AnswerableRequest, PresentationView } from './presentation.ts'
import type { AnswerBody } from './schemas.ts'
import { withTransactions } from './transactions.ts'

type Asked = Pick<AnswerableRequest, 'query' | 'transactions'>

/** The alternatives that the holder selected. */
type NamedCredentials = NonNullable<AnswerBody['selectedCredentials']>

/** What the wallet proposes to answer. */
export type Proposal = {
  /** All credentials that match, the preferred one first, revoked ones included; and the queries to answer. */
  readonly selection: Selection<Candidate>
  /** The credentials that are proposed for these queries: none that is known to be suspended or revoked. */
  readonly choices: readonly CredentialChoice[]
  /** Whether the choices answer the request. If not, the holder may still select a suspended or revoked credential. */
  readonly isComplete: boolean
}

const ranks = { valid: 0, unknown: 1, suspended: 2, revoked: 3 } as const

function rankOf({ standing }: Candidate): number {
  return ranks[standing ?? 'valid']
}

/**
 * Returns the credentials by preference: valid, of unknown status, suspended, revoked; those of one status in the
 * given order.
 */
export function byPreference(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/**
 * Decides what the wallet proposes to answer a request: the only place where that is decided. The API shows it as
 * `selectedCredentials`, the preview of a pending presentation as `isProposed`, and an answer that names no
 * credentials sends it.
 *
 * An option of a credential set that a valid credential satisfies precedes one for which there is only a suspended or
 * revoked one.
 */
export function propose(asked: Asked, candidates: readonly Candidate[]): Proposal {
  const all = selectPresentable(asked, byPreference(candidates))
  const usable = new Map(
    [...all.queries].map(([id, one]) => {
      const matches = one.matches.filter(({ credential }) => rankOf(credential) < ranks.suspended)
      return [id, { ...one, matches }] as const
    }),
  )
  const plan = planSelection(asked.query, (id) => (usable.get(id)?.matches.length ?? 0) > 0)
  const isComplete = plan.satisfiable && plan.required.length + plan.optional.length > 0
  const selection = isComplete ? { ...plan, queries: all.queries } : all
  const ids = proposedIds(selection, asked.transactions)
  const choices = choicesFor(asked.query, { ...selection, queries: usable }, ids, false)
  return { selection, choices, isComplete }
}

/**
 * Returns the query ids to propose: the required ones; if there are none, the optional ones; and those that authorize
 * a transaction.
 */
function proposedIds({ required, optional }: Selection<Candidate>, transactions: Asked['transactions']) {
  return withTransactions(required.length > 0 ? required : optional, optional, transactions)
}

/** Returns the credentials in the order of these ids; those that are not named stay behind, in their order. */
export function inOrderOf(ids: readonly string[], candidates: readonly Candidate[]): Candidate[] {
  const places = new Map(ids.map((id, place) => [id, place]))
  const placeOf = ({ id }: Candidate) => places.get(id) ?? ids.length
  return candidates.toSorted((one, other) => placeOf(one) - placeOf(other))
}

/**
 * Returns the presentations of the proposal. They must be exactly what the holder was shown. A credential that is
 * revoked or suspended since is not presented without being selected.
 *
 * @param candidates The credentials that may be presented now; the wallet may have changed since the proposal.
 * @throws Fault `credential.unmatched`
 */
export function chooseProposed(
  asked: Asked,
  candidates: readonly Candidate[],
  { selected, preferred }: Pick<PresentationView, 'selected' | 'preferred'>,
): CredentialChoice[] {
  if (selected.length === 0) throw new Fault('credential.unmatched')
  const ids = preferred ?? selected.map(({ credentialId }) => credentialId)
  const { choices } = propose(asked, inOrderOf(ids, inOrder(candidates, selected)))
  if (JSON.stringify(selectedOf(choices)) !== JSON.stringify(selected)) throw changed()
  return [...choices]
}

/**
 * Returns the presentations of the holder's own selection. Every selected credential is presented, or the answer is refused, so that the holder
 * always knows what was shared.
 *
 * @throws Fault `credential.unmatched`, `request.invalid`
 */
export function chooseNamed(
  asked: Asked,
  candidates: readonly Candidate[],
  named: NamedCredentials,
): CredentialChoice[] {
  refuseRepeated(named)
  const left = inOrder(candidates, named)
  const selection = satisfied(selectPresentable(asked, left))
  const choices = choicesFor(asked.query, selection, [...selection.required, ...selection.optional], true)
  const selected = selectedOf(choices)
  for (const [position, { credentialId, matchedAttributes }] of named.entries()) {
    const found = selected.find((one) => one.credentialId === credentialId)
    const pointer = `/selectedCredentials/${position}`
    if (found === undefined) throw refused(`${pointer}/credentialId`, 'The request does not include this credential.')
    // the request determines the attributes; a smaller selection would be misleading
    if (matchedAttributes !== undefined && !sameSet(matchedAttributes, found.matchedAttributes)) {
      throw refused(
        `${pointer}/matchedAttributes`,
        'The request determines the attributes; they cannot be selected one by one.',
      )
    }
  }
  return choices
}

/** 3.9, step 13: a credential can be selected once. */
function refuseRepeated(named: NamedCredentials): void {
  const seen = new Set<string>()
  for (const [position, { credentialId }] of named.entries()) {
    if (seen.has(credentialId))
      throw refused(`/selectedCredentials/${position}/credentialId`, 'The credential is selected twice.')
    seen.add(credentialId)
  }
}

function inOrder(
  candidates: readonly Candidate[],
  selected: readonly { readonly credentialId: string }[],
): Candidate[] {
  return selected.map(({ credentialId }) => {
    const found = candidates.find(({ id }) => id === credentialId)
    if (found === undefined) throw changed()
    return found
  })
}

function satisfied(selection: Selection<Candidate>): Selection<Candidate> {
  if (selection.satisfiable && selection.required.length + selection.optional.length > 0) return selection
  throw new Fault('credential.unmatched')
}

function changed(): Fault {
  const detail = 'A credential of this selection is not accepted and valid any more. Prepare the presentation again.'
  return new Fault('credential.unmatched', { detail })
}

function refused(pointer: string, detail: string): Fault {
  return new Fault('request.invalid', { violations: [{ detail, pointer }] })
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).symmetricDifference(new Set(other)).size === 0
}
