import { invitations } from '../../contract/directory/invitations.ts'
import { users } from '../../contract/directory/users.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import type { Frame } from '../frame/screen.ts'

/** People who are invited by one request of a page. */
export const INVITED_AT_ONCE_MAX = 250
/** Within the time that a page has, with time left for the batch. */
const INVITING_MS_MAX = 4000
const CONCURRENT = 4

/** A person without an account. */
export type Invitee = { readonly email: string; readonly firstName?: string; readonly lastName?: string }

const NAME_CHARS_MAX = 200
/** Names of attributes that are those of a person, in the languages of the pages. */
const givenNames = ['given_name', 'first_name', 'vorname', 'prenom']
const familyNames = ['family_name', 'last_name', 'surname', 'nachname', 'nom']

/** Returns the person of a row, named by the columns that become names on the card. @param mapping Of each column */
export function inviteeOf(mapping: readonly string[], cells: readonly string[], email: string): Invitee {
  const named = (names: readonly string[]) => {
    const column = mapping.findIndex((one) => names.includes(one.split('.').at(-1) ?? ''))
    return (cells[column] ?? '').slice(0, NAME_CHARS_MAX).toWellFormed()
  }
  const [firstName, lastName] = [named(givenNames), named(familyNames)]
  return { email, ...(firstName !== '' && { firstName }), ...(lastName !== '' && { lastName }) }
}

/**
 * Makes an account for each person, and mails an invitation to it. Nobody gets two accounts: where another request has
 * made it meanwhile, that is the reason why the person was not invited. After four seconds nobody else is begun with.
 *
 * @param people At most {@link INVITED_AT_ONCE_MAX}, whose addresses differ.
 * @returns why some were not invited, in the API's English, by their address
 */
export async function invitePeople(frame: Frame, people: readonly Invitee[]): Promise<ReadonlyMap<string, string>> {
  const failed = new Map<string, string>()
  const waiting = people.values()
  const isOver = AbortSignal.timeout(INVITING_MS_MAX)
  const work = async () => {
    for (const person of waiting) {
      if (isOver.aborted) return
      const why = await invitePerson(frame, person)
      if (why !== null) failed.set(person.email, why)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, work))
  return failed
}

async function invitePerson({ api }: Frame, person: Invitee): Promise<string | null> {
  try {
    const { data } = await api.call(users.create, { body: person })
    await api.call(invitations.create, { params: { username: data.username }, body: {} })
    return null
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    return error.errors[0]?.detail ?? error.message
  }
}
