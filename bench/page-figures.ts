/** A figure fails above so many times its budget; calls, which do not depend on the machine, above it. */
const TOLERANCE = 1.25

let failures = 0

/**
 * Prints a figure beside its budget: `near` when it is over it by at most a quarter, `FAIL` when by more.
 *
 * @returns whether it is within
 */
export function report(what: string, figure: number, most: number, unit: 's' | 'ms' | 'kB' | 'calls' | ''): boolean {
  const isGood = figure <= most * (unit === 'calls' ? 1 : TOLERANCE)
  if (!isGood) failures += 1
  const verdict = figure <= most ? 'pass' : isGood ? 'near' : 'FAIL'
  const digits = unit === 'calls' ? 0 : unit === 's' ? 2 : unit === '' ? 3 : 1
  console.log(`  ${verdict}  ${what.padEnd(56)}${figure.toFixed(digits).padStart(8)} of ${most} ${unit}`)
  return figure <= most
}

/** Returns how many figures were over their budget by more than a quarter. */
export function failuresSoFar(): number {
  return failures
}

/** Returns the smallest figure that a share of all does not exceed: 0.5 is the median. */
export function rank(all: readonly number[], share: number): number {
  return all.toSorted((a, b) => a - b)[Math.ceil(share * all.length) - 1] ?? Number.NaN
}
