import type { CrossOrigin } from './cross-origin.ts'

/** A path pattern and one of the methods that are mounted under it. */
export type KnownPath = {
  readonly pattern: string
  readonly method: string
  readonly crossOrigin: CrossOrigin
  /** The only host that the path is mounted for; null: every host. */
  readonly host: string | null
}

/**
 * Returns the methods of a path. Used when no route matched, to distinguish 405 from 404. `callable`: those that the
 * pages of `crossOrigin` may use.
 */
export type MethodsAt = (path: string) => {
  readonly allow: readonly string[]
  readonly crossOrigin: CrossOrigin
  readonly callable: readonly string[]
}

/** Indexes the mounted paths. The most specific pattern that matches a path decides, as in the router. */
export function methodsAt(known: readonly KnownPath[]): MethodsAt {
  const byPattern = Map.groupBy(known, (one) => one.pattern)
  const entries = [...byPattern]
    .map(([pattern, found]) => ({ matches: matcher(pattern), found, rank: rankOf(pattern) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
  return (path) => {
    const found = entries.find(({ matches }) => matches.test(path))?.found ?? []
    const crossOrigin = crossOriginOf(found)
    return {
      allow: methodsOf(found),
      crossOrigin,
      callable: methodsOf(found.filter((one) => one.crossOrigin === crossOrigin)),
    }
  }
}

function methodsOf(found: readonly KnownPath[]): string[] {
  const methods = found.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...new Set(methods)].sort()
}

function crossOriginOf(found: readonly KnownPath[]): CrossOrigin {
  const named = found.map((one) => one.crossOrigin)
  return named.includes('any') ? 'any' : (named.find((one) => one !== null) ?? null)
}

/**
 * Returns the methods that a pattern lacks and a less specific pattern has: without a route of its own such a request
 * would reach the route of the other pattern, with a fixed segment as its parameter.
 */
export function shadowedMethods(known: readonly KnownPath[]): Pick<KnownPath, 'pattern' | 'method' | 'host'>[] {
  const byPlace = Map.groupBy(known, ({ pattern, host }) => `${host ?? ''} ${pattern}`)
  const compiled = known.map((one) => ({ ...one, matches: matcher(one.pattern) }))
  return [...byPlace.values()].flatMap((own) => {
    const [{ pattern, host } = { pattern: '', host: null }] = own
    const sample = pattern.replaceAll(/\{[^{}]+\}/g, '~')
    const others = compiled.filter((one) => one.host === host && one.pattern !== pattern && one.matches.test(sample))
    const methods = new Set(others.map(({ method }) => method)).difference(new Set(own.map(({ method }) => method)))
    return [...methods].map((method) => ({ pattern, method, host }))
  })
}

/** A fixed segment ranks before a parameter, and a parameter before the rest of a path. */
function rankOf(pattern: string): string {
  const ranks = pattern.split('/').map((part) => (part.endsWith('*}') ? 'c' : part.includes('{') ? 'b' : 'a'))
  return ranks.join('')
}

/** Converts `{name}` to the router's `:name`, and `{rest*}` to its `*`. */
export function routerPath(pattern: string): string {
  return pattern
    .replaceAll(':', '::')
    .replaceAll(/\{([^{}]+)\}/g, (_, name: string) => (name.endsWith('*') ? '*' : `:${name}`))
}

function matcher(pattern: string): RegExp {
  const parts = pattern.split(/(\{[^{}]+\})/).map((part) => {
    if (!part.startsWith('{')) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    return part.endsWith('*}') ? '.*' : '[^/]+'
  })
  return new RegExp(`^${parts.join('')}$`)
}
