import type { ReplyOf } from '../../contract/api-operation.ts'
import { users } from '../../contract/directory/users.ts'
import type { Frame } from '../frame/screen.ts'

/** A person as the API shows them. */
export type Person = ReplyOf<typeof users.get>

/** Path of the list. */
export const peoplePath = '/console/people'
/** The entry of the menu. */
export const peoplePlace = 'people'

/** Returns the path of a person, or of what is done with them. */
export function personPath(username: string, verb?: string): string {
  return `${peoplePath}/${encodeURIComponent(username)}${verb === undefined ? '' : `/${verb}`}`
}

/** Returns the name of a person, or the username. */
export function personName({ firstName, lastName, username }: Person): string {
  return [firstName, lastName].filter((one) => one !== '').join(' ') || username
}

/** Reads the person that the path names. */
export async function readPerson({ api, params }: Frame<{ readonly username: string }>): Promise<Person> {
  return (await api.call(users.get, { params: { username: params.username } })).data
}
