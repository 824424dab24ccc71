/** A path pattern with the methods that were mounted under it. */
export type KnownPath = { readonly pattern: string; readonly method: string; readonly crossOrigin: boolean }

/** Which methods a concrete path has; asked only when nothing answered it, so that a wrong method is told from a wrong path. */
export type MethodsAt = (path: string) => { readonly allow: readonly string[]; readonly crossOrigin: boolean }

/** Indexes the mounted paths. */
export function methodsAt(known: readonly KnownPath[]): MethodsAt {
  const byPattern = Map.groupBy(known, (one) => one.pattern)
  const entries = [...byPattern].map(([pattern, found]) => ({ matches: matcher(pattern), found }))
  return (path) => {
    const found = entries.filter(({ matches }) => matches.test(path)).flatMap((entry) => entry.found)
    const methods = found.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    return { allow: [...new Set(methods)].sort(), crossOrigin: found.some((one) => one.crossOrigin) }
  }
}

/** From `{name}` to the router's `:name`, and from `{rest*}` to its `*`. */
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
