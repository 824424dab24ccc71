const EDITS_MAX = 2
const CHARS_MAX = 64

/** Returns the known name within two edits of a name; the first of equals. @returns null if there is none */
export function nearestOf(name: string, known: readonly string[]): string | null {
  if (name.length > CHARS_MAX) return null
  let best: string | null = null
  // A short name is within two edits of many others.
  let fewest = Math.min(EDITS_MAX + 1, Math.ceil(name.length / 2))
  for (const one of known) {
    const edits = Math.abs(one.length - name.length) > EDITS_MAX ? EDITS_MAX + 1 : editsBetween(name, one)
    if (edits < fewest) {
      best = one
      fewest = edits
    }
  }
  return best
}

/** Levenshtein distance, without regard to case. */
function editsBetween(left: string, right: string): number {
  const from = left.toLowerCase()
  const to = right.toLowerCase()
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const swap = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      line.push(Math.min(swap, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1))
    }
    above = line
  }
  return above[to.length] ?? 0
}
