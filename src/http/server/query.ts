import type { TSchema } from 'typebox'
import { isJsonObject } from '../../crypto/json.ts'
import { repeatedParameter } from './body.ts'

/**
 * Returns the parameters of a parsed query, each of which is there once.
 *
 * @throws Fault `request.invalid` with the name of a repeated one
 * @see [RFC 6749, 3.1 and 3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.1)
 */
export function singleMembers(query: unknown): Readonly<Record<string, string>> {
  // The query parser returns strings, and arrays of strings for repeated parameters.
  const members = query as Readonly<Record<string, string | string[]>>
  for (const name in members) {
    if (typeof members[name] !== 'string') throw repeatedParameter(name)
  }
  return members as Readonly<Record<string, string>>
}

/** Returns the names of the parameters of a query that are times. */
export function timesOf(query: TSchema | undefined): readonly string[] {
  const properties: unknown = query !== undefined && 'properties' in query ? query.properties : {}
  return isJsonObject(properties)
    ? Object.keys(properties).filter((name) => {
        const schema = properties[name]
        return isJsonObject(schema) && schema.format === 'date-time'
      })
    : []
}

/**
 * Returns the parameters with the plus signs of their times. Clients that write an address by hand, and Angular, leave
 * the one before an offset as it is, where it stands for a blank: no time has a blank there.
 */
export function withOffsets(
  query: Readonly<Record<string, string>>,
  times: readonly string[],
): Readonly<Record<string, string>> {
  const bare = times.filter((name) => query[name]?.includes(' '))
  if (bare.length === 0) return query
  const mended = bare.map((name) => [name, query[name]?.replace(/ (?=\d\d:\d\d$)/, '+')])
  return { ...query, ...Object.fromEntries(mended) }
}
