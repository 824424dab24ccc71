import type { ReplyOf } from '../../contract/api-operation.ts'
import { clients } from '../../contract/directory/clients.ts'
import { users } from '../../contract/directory/users.ts'
import { statistics } from '../../contract/events/statistics.ts'
import { issuances } from '../../contract/issuance/issuances.ts'
import { isUuid } from '../../uuid.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'

/** Something that what a person typed may mean. `query`: the members of the address that choose it. */
export type Meaning = {
  readonly name: string
  readonly about: string
  readonly query: Readonly<Record<string, string>>
}

/**
 * What a filter stands for. `ids`, as the API takes them: undefined filters nothing. Of several meanings the person
 * chooses one.
 */
export type LookedUp = {
  readonly ids: string | undefined
  /** What was typed, and means only this. */
  readonly found?: Meaning
  readonly choices?: readonly Meaning[]
  /** What was typed is the name of nothing: it may be an id. */
  readonly unknown?: string
}

type Hit = ReplyOf<typeof statistics.search>[number]
type Candidate = { readonly meaning: Meaning; readonly isExact: boolean; readonly ids: () => Promise<string> | string }

const CHOICES_MAX = 10

/**
 * Returns who is meant by the member `who` of the address: a username, e-mail address or name, an application, or an
 * id; else the id in `actor`. Three calls of the API. Applications are found by those who may see them.
 */
export async function lookUpActor(frame: Frame): Promise<LookedUp> {
  const { query, api } = frame
  const typed = typedIn(query.who)
  if (typed === '' || isUuid(typed)) return { ids: typed || query.actor?.trim() }
  const [hits, applications] = await Promise.all([
    api.call(statistics.search, { query: { q: typed } }),
    may(frame, 'tenant:admin') ? api.call(clients.list, { query: { 'page[size]': '100' } }) : { data: [] },
  ])
  const people = hits.data.filter(({ kind }) => kind === 'user').map((one) => personOf(frame, one, typed))
  const services = applications.data
    .filter(({ clientId, name }) => [clientId, name ?? ''].some((one) => folded(one).includes(folded(typed))))
    .map(({ clientId, name }) => ({
      meaning: { name: name ?? clientId, about: name === null ? '' : clientId, query: { actor: clientId } },
      isExact: clientId === typed,
      ids: () => clientId,
    }))
  // A username that is also the id of an application means the person: the choice of an application names it by its id.
  return chosenOf(typed, people.some(({ isExact }) => isExact) ? people : [...people, ...services])
}

function personOf({ api }: Frame, { id: username, name }: Hit, typed: string): Candidate {
  return {
    meaning: { name, about: name === username ? '' : username, query: { who: username } },
    isExact: folded(username) === folded(typed),
    ids: async () => (await api.call(users.get, { params: { username } })).data.id,
  }
}

/**
 * Returns what is meant by the member `reference` of the address: issuances with their credentials, or an id; else the
 * ids in `subject`. One call.
 */
export async function lookUpSubject({ query, api }: Frame): Promise<LookedUp> {
  const typed = typedIn(query.reference)
  if (typed === '' || isUuid(typed)) return { ids: typed || query.subject?.trim() }
  const asked = { 'search[reference]': typed, 'page[size]': String(CHOICES_MAX) }
  const { data } = await api.call(issuances.list, { query: asked })
  const candidates = data.map((one) => {
    // What is done to the credential is recorded under its own id.
    const ids = [one.id, ...one.credentials.map(({ id }) => id)].join(',')
    const about = [one.label, one.templateName].filter(Boolean).join(' · ')
    const meaning = { name: one.reference ?? one.templateName, about, query: { subject: ids } }
    return { meaning, isExact: one.reference === typed, ids: () => ids }
  })
  return chosenOf(typed, candidates)
}

/** The only candidate, or the only one that is exactly what was typed. */
async function chosenOf(typed: string, candidates: readonly Candidate[]): Promise<LookedUp> {
  const exact = candidates.filter(({ isExact }) => isExact)
  const [one, ...others] = exact.length > 0 ? exact : candidates
  if (one === undefined) return { ids: typed, unknown: typed }
  if (others.length === 0) return { ids: await one.ids(), found: one.meaning }
  const choices = (exact.length > 0 ? exact : candidates).slice(0, CHOICES_MAX).map(({ meaning }) => meaning)
  return { ids: undefined, choices }
}

function typedIn(text: string | undefined): string {
  return (text ?? '').replaceAll('\0', '').trim().slice(0, 200)
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
