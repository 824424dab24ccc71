import { type Json, parseJson } from '../../crypto/json.ts'
import { linesIn } from '../resource/fields.ts'
import { type AttributeStep, askedPathText, readPath } from './asked-attributes.ts'
import type { RequestMeta } from './request.ts'

/** A DCQL credential set in the API: options of credentials, by name or position. */
export type AskedSet = NonNullable<NonNullable<RequestMeta['verifierConfig']>['credentialSets']>[number]
/** An attribute in a DCQL claim set in the API: its name, or its path. */
type ClaimReference = string | readonly AttributeStep[]

/**
 * Returns credential sets as they are typed: a set a line, its options with `|` between them, the credentials of an
 * option with `+`, by their numbers on the page, from 1. A set that ends with `?` is not required.
 *
 * @param names Of the credentials, in their order; `''`: it has none.
 */
export function setsText(sets: readonly AskedSet[], names: readonly string[]): string {
  const numberOf = (one: string | number) => (typeof one === 'number' ? one : names.indexOf(one)) + 1
  const written = sets.map(({ options, required }) => {
    const text = options.map((option) => option.map(numberOf).join(' + ')).join(' | ')
    return required === false ? `${text} ?` : text
  })
  return written.join('\n')
}

/** Returns the credential sets of a text. @returns null if it has another form, or there are none */
export function setsIn(text: string): readonly AskedSet[] | null {
  const sets = linesIn(text).map(([, line]) => {
    const options = line
      .replace(/\?$/, '')
      .split('|')
      .map((option) => option.split('+').map((one) => positionIn(one.trim())))
    return { options, ...(line.endsWith('?') && { required: false }) }
  })
  return sets.length === 0 || sets.some(({ options }) => options.flat().includes(-1)) ? null : sets
}

function positionIn(text: string): number {
  return /^\d{1,3}$/.test(text) ? Number(text) - 1 : -1
}

/**
 * Returns claim sets as they are typed: a set a line, its attributes with `;` between them, each as in {@link
 * pathText}. A set that cannot be written so is its JSON.
 */
export function claimSetsText(sets: Json | undefined): string {
  // The API accepted them.
  const all = (Array.isArray(sets) ? sets : []) as unknown as readonly (readonly ClaimReference[])[]
  return all.map((set) => (set.every(isPlain) ? set.map(plainText).join('; ') : JSON.stringify(set))).join('\n')
}

function plainText(one: ClaimReference): string {
  return askedPathText(typeof one === 'string' ? [one] : one)
}

function isPlain(one: ClaimReference): boolean {
  const [text, path] = [plainText(one), typeof one === 'string' ? [one] : one]
  return !/[;[\n]/.test(text) && JSON.stringify(readPath(text)) === JSON.stringify(path)
}

/** Returns the claim sets of a text. @returns null if a line is malformed */
export function claimSetsIn(text: string): readonly (readonly ClaimReference[])[] | null {
  const sets = linesIn(text).map(([, line]) => (line.startsWith('[') ? fromJson(line) : fromLine(line)))
  return sets.some((set) => set === null || set.length === 0)
    ? null
    : sets.flatMap((set) => (set === null ? [] : [set]))
}

function fromLine(line: string): readonly ClaimReference[] {
  const paths = line.split(';').map(readPath)
  return paths.flatMap((path): readonly ClaimReference[] => {
    const [first] = path
    if (first === undefined) return []
    return path.length === 1 && typeof first === 'string' ? [first] : [path]
  })
}

function fromJson(line: string): readonly ClaimReference[] | null {
  try {
    const set = parseJson(line)
    if (!Array.isArray(set)) return null
    return set.every((one: Json) => typeof one === 'string' || isPath(one)) ? (set as readonly ClaimReference[]) : null
  } catch {
    return null
  }
}

function isPath(value: Json): boolean {
  return Array.isArray(value) && value.every((one: Json) => one === null || ['string', 'number'].includes(typeof one))
}
