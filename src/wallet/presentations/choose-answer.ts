import type { AnswerBody } from '../../contract/wallet/presentations.ts'
import { Fault } from '../../fault.ts'
import { planSelection, type Selection } from '../../protocols/dcql/select-credentials.ts'
import { type Candidate, type CredentialChoice, choicesFor, selectedOf, selectPresentable } from './presentable.ts'
import type { AnswerableRequest, PresentationView } from './presentation.ts'
import { withTransactions } from './transactions.ts'

type Asked = Pick<AnswerableRequest, 'query' | 'transactions'>

/** The alternatives that the holder selected. */
type NamedCredentials = NonNullable<AnswerBody['selectedCredentials']>

/** What the wallet proposes to answer. */
type Proposal = {
  /** All credentials that match, the preferred one first; and the queries to answer. */
  readonly selection: Selection<Candidate>
  /** The proposed presentations; none if the credentials do not answer the request. [DCQL-5] */
  readonly choices: readonly CredentialChoice[]
}

const ranks = { valid: 0, unknown: 1, suspended: 2, revoked: 3 } as const

/** Returns the credentials by preference: valid, of unknown status, suspended, revoked; newest first among equals. */
export function byPreference(candidates: readonly Candidate[]): Candidate[] {
  const rankOf = ({ standing }: Candidate) => ranks[standing ?? 'valid']
  return candidates.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/** Returns whether a credential is known to be suspended or revoked. */
export function isUnfit({ standing }: Pick<Candidate, 'standing'>): boolean {
  return standing === 'suspended' || standing === 'revoked'
}

/**
 * Decides what the wallet proposes to answer a request. Of a credential set the first option precedes for which there
 * are credentials that are not known to be suspended or revoked; they are proposed only where there are no others.
 */
export function propose(asked: Asked, candidates: readonly Candidate[]): Proposal {
  const all = selectPresentable(asked, byPreference(candidates))
  const isFit = (id: string) => all.queries.get(id)?.matches.some(({ credential }) => !isUnfit(credential)) ?? false
  const fit = { ...planSelection(asked.query, isFit), queries: all.queries }
  const selection = isAnswer(fit) ? fit : all
  const choices = isAnswer(selection) ? proposedChoices(asked, selection) : []
  return { selection, choices }
}

function isAnswer({ satisfiable, required, optional }: Selection<Candidate>): boolean {
  return satisfiable && required.length + optional.length > 0
}

/**
 * Those of the required queries; if there are none, of the optional ones; and of those that authorize a transaction.
 */
function proposedChoices({ query, transactions }: Asked, selection: Selection<Candidate>): CredentialChoice[] {
  const { required, optional } = selection
  const ids = withTransactions(required.length > 0 ? required : optional, optional, transactions)
  return choicesFor(query, selection, ids, false)
}

/**
 * Returns the presentations of the proposal. They must be exactly what the holder was shown.
 *
 * @param candidates The credentials that may be presented now; the wallet may have changed since the proposal.
 * @throws Fault `credential.unmatched`
 */
export function chooseProposed(
  asked: Asked,
  candidates: readonly Candidate[],
  { selected, preferred }: Pick<PresentationView, 'selected' | 'preferred'>,
): CredentialChoice[] {
  const left = inOrder(candidates, selected)
  const choices = proposedChoices(asked, satisfied(selectPresentable(asked, inOrderOf(preferred ?? [], left))))
  if (JSON.stringify(selectedOf(choices)) !== JSON.stringify(selected)) throw changed()
  return choices
}

/** Returns the credentials in the order of these ids; those that are not named come last, in their order. */
export function inOrderOf(ids: readonly string[], candidates: readonly Candidate[]): Candidate[] {
  const places = new Map(ids.map((id, place) => [id, place]))
  const placeOf = ({ id }: Candidate) => places.get(id) ?? ids.length
  return candidates.toSorted((one, other) => placeOf(one) - placeOf(other))
}

/**
 * Returns the presentations of the holder's own selection. Every selected credential is presented, or the answer is
 * refused, so that the holder always knows what was shared.
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

/** A credential can be selected once: a verifier counts it once. */
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
  if (isAnswer(selection)) return selection
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
