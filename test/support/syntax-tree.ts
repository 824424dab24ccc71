/**
 * A node of the syntax tree of a statement, as `libpg-query` returns it: an object with one member, whose name is the
 * kind.
 */
export type Part = { readonly [member: string]: unknown }

/** Returns the nodes of these kinds at any depth, without those below a node of the kinds `outside`. */
export function partsOf(tree: unknown, kinds: readonly string[], outside: readonly string[] = []): readonly Part[] {
  if (typeof tree !== 'object' || tree === null) return []
  if (Array.isArray(tree)) return tree.flatMap((one) => partsOf(one, kinds, outside))
  return Object.entries(tree).flatMap(([kind, below]) => {
    if (below === undefined || outside.includes(kind)) return []
    const deeper = partsOf(below, kinds, outside)
    return kinds.includes(kind) ? [below as Part, ...deeper] : deeper
  })
}
