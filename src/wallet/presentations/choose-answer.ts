import { Fault } from '../../fault.ts'
import type { DcqlQuery } from '../../protocols/dcql/query.ts'
import type { Selection } from '../../protocols/dcql/select-credentials.ts'
import type { AnswerBody } from '../credentials/schemas.ts'
import { proposedIds } from './prepare-presentation.ts'
import { type Candidate, type CredentialChoice, choicesFor, selectedOf, selectPresentable } from './presentable.ts'
import type { SelectedCredential } from './presentation.ts'

/** What the holder named of the alternatives. */
export type NamedCredentials = NonNullable<AnswerBody['selectedCredentials']>

/**
 * Works out what the proposal comes to now. It must be what the holder was shown: not less, not more, not another credential.
 *
 * @param candidates The credentials that may be presented now; the wallet may have changed since the proposal.
 * @throws Fault `credential.unmatched`
 */
export function chooseProposed(
  query: DcqlQuery,
  candidates: readonly Candidate[],
  proposed: readonly SelectedCredential[],
): CredentialChoice[] {
  const left = inOrder(candidates, proposed)
  const selection = satisfied(selectPresentable(query, left))
  const choices = choicesFor(query, selection, proposedIds(selection), false)
  if (JSON.stringify(selectedOf(choices)) !== JSON.stringify(proposed)) throw changed()
  return choices
}

/**
 * Works out what the holder's own selection comes to. Every credential named is presented, or the answer is refused: nobody shall
 * believe to have shared what was not shared, or the reverse.
 *
 * @throws Fault `credential.unmatched`, `request.invalid`
 */
export function chooseNamed(
  query: DcqlQuery,
  candidates: readonly Candidate[],
  named: NamedCredentials,
): CredentialChoice[] {
  refuseRepeated(named)
  const left = inOrder(candidates, named)
  const selection = satisfied(selectPresentable(query, left))
  const choices = choicesFor(query, selection, [...selection.required, ...selection.optional], true)
  const selected = selectedOf(choices)
  for (const [position, { credentialId, matchedAttributes }] of named.entries()) {
    const found = selected.find((one) => one.credentialId === credentialId)
    const pointer = `/selectedCredentials/${position}`
    if (found === undefined) throw refused(`${pointer}/credentialId`, 'The request does not ask for this credential.')
    // the verifier decides what it needs; who names less would be surprised by what is sent
    if (matchedAttributes !== undefined && !sameSet(matchedAttributes, found.matchedAttributes)) {
      throw refused(
        `${pointer}/matchedAttributes`,
        'The request asks for other attributes; they cannot be chosen one by one.',
      )
    }
  }
  return choices
}

/** 3.9, step 13: one credential shown twice counts once, so nobody means it. */
function refuseRepeated(named: NamedCredentials): void {
  const seen = new Set<string>()
  for (const [position, { credentialId }] of named.entries()) {
    if (seen.has(credentialId))
      throw refused(`/selectedCredentials/${position}/credentialId`, 'The credential is named twice.')
    seen.add(credentialId)
  }
}

function inOrder(candidates: readonly Candidate[], wanted: readonly { readonly credentialId: string }[]): Candidate[] {
  return wanted.map(({ credentialId }) => {
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
  const detail =
    'A credential of this selection is not, or no longer, accepted and valid. Prepare the presentation again.'
  return new Fault('credential.unmatched', { detail })
}

function refused(pointer: string, detail: string): Fault {
  return new Fault('request.invalid', { violations: [{ detail, pointer }] })
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const wanted = new Set(other)
  return new Set(one).size === wanted.size && one.every((name) => wanted.has(name))
}
