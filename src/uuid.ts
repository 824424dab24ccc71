import { Fault } from './fault.ts'

/** A UUID as the server and its database write it, in lower case; for schemas. */
export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

const written = new RegExp(UUID_PATTERN)
const either = new RegExp(UUID_PATTERN, 'i')

/** Whether a text is a UUID, in either case. Not `urn:uuid:` and not braces: no column of the database takes them. */
export function isUuid(text: string): boolean {
  return either.test(text)
}

/** Whether a text is a UUID as the server writes it, where the text itself is compared, signed or cached. */
export function isWrittenUuid(text: unknown): text is string {
  return typeof text === 'string' && written.test(text)
}

/** The id if there could be something by it. @throws Fault `resource.unknown` if it is no UUID */
export function knownId(id: string): string {
  if (!isUuid(id)) throw new Fault('resource.unknown')
  return id
}
