import { Fault } from '../../fault.ts'
import type { Selection } from '../../protocols/dcql/select-credentials.ts'
import { proposedIds } from './prepare-presentation.ts'
import { type Candidate, type CredentialChoice, choicesFor, selectedOf, selectPresentable } from './presentable.ts'
import type { AnswerableRequest, SelectedCredential } from './presentation.ts'
import type { AnswerBody } from './schemas.ts'

type Asked = Pick<AnswerableRequest, 'query' | 'transactions'>

/** The alternatives that the holder selected. */
type NamedCredentials = NonNullable<AnswerBody['selectedCredentials']>

/**
 * Returns the presentations of the proposal. They must be exactly what the holder was shown.
 *
 * @param candidates The credentials that may be presented now; the wallet may have changed since the proposal.
 * @throws Fault `credential.unmatched`
 */
export function chooseProposed(
  asked: Asked,
  candidates: readonly Candidate[],
  proposed: readonly SelectedCredential[],
): CredentialChoice[] {
  const left = inOrder(candidates, proposed)
  const selection = satisfied(selectPresentable(asked, left))
  const choices = choicesFor(asked.query, selection, proposedIds(selection, asked.transactions), false)
  if (JSON.stringify(selectedOf(choices)) !== JSON.stringify(proposed)) throw changed()
  return choices
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
