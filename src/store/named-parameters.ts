/** Values of the parameters of a statement: by name, or by position where its text has `$1` to `$9`. */
export type Values = readonly unknown[] | Readonly<Record<string, unknown>>

/** `parameters`: names of `$1`, `$2` …, absent where the text has no names. */
type NumberedText = { readonly text: string; readonly parameters?: readonly string[] }

/** A position, or a name. No cast has one, and no `a:b` in a text. */
const PARAMETER = /\$(?<position>\d+)|(?<![:\w]):(?<name>[a-zA-Z]\w*)/g

/**
 * Replaces the names of parameters, as in `where id = :id`, by `$1`, `$2` … in the order in which they first appear. A
 * name that appears again is the same parameter. Casts (`::text`) stay as they are. It does not read SQL: what looks
 * like a name inside of a literal is one, too, whose value {@link positional} misses.
 *
 * @throws Error if the text has both names and positions
 */
export function numbered(text: string): NumberedText {
  const parameters: string[] = []
  let hasPositions = false
  const replaced = text.replace(PARAMETER, (token, ...found) => {
    const { name, position } = found.at(-1) as { readonly name?: string; readonly position?: string }
    if (position !== undefined) hasPositions = true
    if (name === undefined) return token
    if (!parameters.includes(name)) parameters.push(name)
    return `$${parameters.indexOf(name) + 1}`
  })
  if (parameters.length === 0) return { text }
  if (hasPositions) throw new Error(`a statement has both :${parameters[0]} and a position: ${text}`)
  return { text: replaced, parameters }
}

/**
 * Returns values in the order of the text.
 *
 * @throws Error if a named one is missing, or one is given that the statement does not have
 */
export function positional(
  { name, parameters }: { readonly name: string; readonly parameters?: readonly string[] },
  values: Values,
): readonly unknown[] {
  if (parameters === undefined) {
    if (Array.isArray(values)) return values
    throw new Error(`statement ${name} has no named parameters`)
  }
  const given = Array.isArray(values) ? {} : (values as Readonly<Record<string, unknown>>)
  const missing = parameters.filter((one) => !Object.hasOwn(given, one))
  if (missing.length > 0) throw new Error(`statement ${name} needs :${missing.join(', :')}`)
  const others = Object.keys(given).filter((one) => !parameters.includes(one))
  if (others.length > 0) throw new Error(`statement ${name} has no :${others.join(', :')}`)
  return parameters.map((one) => given[one])
}
