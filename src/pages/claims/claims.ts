import type { Language } from '../../contract/languages.ts'
import type { CredentialDisplay } from '../../contract/wallet/card-display.ts'
import { isJsonObject, type Json, type JsonObject, readOwnJson } from '../../crypto/json.ts'
import { type Html, html } from '../html.ts'
import { claimHeading, claimInWords, type Showing } from './values.ts'

/** A page shows at most so many claims of a card. */
const LINES_MAX = 1000
/** A longer name of a claim is cut. */
const STEP_CHARS = 60
const DEPTH_MAX = 8

/** A claim of a card. */
type Line = { readonly path: string; readonly value: Json }

/** Returns the name of a claim: that of its issuer, else the last steps of its path in words. */
export function claimName(labels: CredentialDisplay['labels'], path: string): string {
  const exact = labels.find((one) => one.path === path)
  if (exact !== undefined) return exact.name
  // Written by our own API.
  const steps = readOwnJson(path) as (string | null)[]
  for (let length = steps.length - 1; length > 0; length -= 1) {
    const above = labels.find((one) => one.path === JSON.stringify(steps.slice(0, length)))
    if (above !== undefined) return [above.name, ...wordsOf(steps.slice(length))].join(' · ')
  }
  return wordsOf(steps.length > 1 && (steps[0] ?? '').includes('.') ? steps.slice(1) : steps).join(' · ')
}

function wordsOf(steps: readonly (string | null)[]): string[] {
  return steps.flatMap((step) => (step === null ? [] : (claimInWords(step) ?? [])))
}

/**
 * Returns the name of a claim, with its whole path below where a step of it is too long for a name: it leaves with the
 * value.
 */
export function shownPath(
  labels: CredentialDisplay['labels'],
  path: string,
  language: Language,
  showing?: Showing,
): Html {
  const isLong = path.length > STEP_CHARS && (readOwnJson(path) as (string | null)[]).some((step) => isLongStep(step))
  return html`${claimName(labels, path)}${isLong && html`<br>${claimHeading(path, language, showing)}`}`
}

const isLongStep = (step: string | null) => step !== null && step.length > STEP_CHARS

/**
 * Returns the claims of a credential as lines, in the order of its issuer. An array is one line. `more`: how many there
 * are besides.
 *
 * @param linesMax The first so many are returned.
 */
export function linesOf(
  claims: JsonObject,
  labels: CredentialDisplay['labels'],
  linesMax = LINES_MAX,
): { readonly lines: readonly Line[]; readonly more: number } {
  const found = leavesOf(claims, [])
  const order = new Map(labels.map(({ path }, index) => [path, index]))
  const rank = (path: string) => order.get(path) ?? labels.length
  const lines = found.toSorted((one, other) => rank(one.path) - rank(other.path)).slice(0, linesMax)
  return { lines, more: found.length - lines.length }
}

function leavesOf(value: JsonObject, above: readonly string[]): Line[] {
  return Object.entries(value).flatMap(([name, one]) =>
    isJsonObject(one) && Object.keys(one).length > 0 && above.length < DEPTH_MAX
      ? leavesOf(one, [...above, name])
      : [{ path: JSON.stringify([...above, name]), value: one }],
  )
}
