/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Parses JSON. @throws SyntaxError */
export function read(source: string): Json {
  return JSON.parse(source) as Json
}

/** Returns the value at a path; null if there is none. */
export function at(value: Json, ...path: readonly (string | number)[]): Json {
  let found = value
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return null
    found = (found as Readonly<Record<string | number, Json | undefined>>)[step] ?? null
  }
  return found
}

/** Returns the string at a path. @throws Error that shows the value if there is none. */
export function text(value: Json, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path)
  if (typeof found !== 'string')
    throw new Error(`no string at ${path.join('.') || 'the root'} of ${JSON.stringify(value)}`)
  return found
}
