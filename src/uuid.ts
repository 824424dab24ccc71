import { Fault } from './fault.ts'

/** Pattern of a UUID in the canonical form of server and database, in lower case; for schemas. */
export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

const canonical = new RegExp(UUID_PATTERN)
const anyCase = new RegExp(UUID_PATTERN, 'i')

/** Whether a text is a UUID, in either case. Not `urn:uuid:` and not braces: database columns accept neither. */
export function isUuid(text: string): boolean {
  return anyCase.test(text)
}

/** Whether a text is a UUID in canonical form, as needed where the text itself is compared, signed or cached. */
export function isWrittenUuid(text: unknown): text is string {
  return typeof text === 'string' && canonical.test(text)
}

/** Returns an id that is a UUID. @throws Fault `resource.unknown` for any other text, which no resource has as id */
export function knownId(id: string): string {
  if (!isUuid(id)) throw new Fault('resource.unknown')
  return id
}
