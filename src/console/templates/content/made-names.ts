import type { AttributeRow } from './attribute-rows.ts'

/** Returns the letters a to z and figures of a text, in words that `sign` joins; `''` if there are none. */
export function plainName(text: string, sign: '-' | '_'): string {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word !== '')
  return words.join(sign).slice(0, 64)
}

/**
 * Gives a technical name to each row that has only one for people: the letters and figures of that, else `attribute`,
 * with a number where a row beside it has the name.
 */
export function withMadeKeys(rows: readonly AttributeRow[]): readonly AttributeRow[] {
  const above: number[] = []
  const parents = rows.map(({ depth }, at) => {
    above[depth] = at
    return depth === 0 ? -1 : (above[depth - 1] ?? -1)
  })
  const used = new Map<number, Set<string>>()
  const besideOf = (at: number): Set<string> => {
    const parent = parents[at] ?? -1
    const keys = used.get(parent) ?? new Set(rows.flatMap(({ key }, other) => (parents[other] === parent ? key : [])))
    used.set(parent, keys)
    return keys
  }
  return rows.map((row, at) => {
    if (row.key !== '' || row.name === '' || row.type === 'namespace') return row
    const beside = besideOf(at)
    const made = plainName(row.name, '_') || 'attribute'
    let key = made
    for (let number = 2; beside.has(key); number += 1) key = `${made}_${number}`
    beside.add(key)
    return { ...row, key }
  })
}
