import { Fault } from '../fault.ts'

/**
 * Parses JSON without the engine's parser of objects: V8 resolves an escaped member name by names that the process parsed before
 * (nodejs/node#63785), so that the content of one request could change how another one is parsed.
 *
 * Duplicate members and members named `__proto__` are refused. The caller limits depth and number of values.
 *
 * @param exactIntegers Returns an integer beyond 2^53 as its text.
 * @throws Fault `json.malformed`, or a SyntaxError of the engine for a bad string or number
 */
export function readStrictJson(text: string, exactIntegers = false): unknown {
  return new StrictReader(text, exactIntegers).whole()
}

/** Returns the offset of the closing quote of the JSON string that begins at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at
  }
  return text.length
}

/** Returns the fault for a JSON text that is refused. */
export function malformed(detail?: string): Fault {
  return new Fault('json.malformed', detail === undefined ? {} : { detail })
}

/** Why a text with two equal names in one object is refused. */
export const TWICE = 'A JSON object has a duplicate member name.'
/** Why a text with such a name is refused: copying the member would change what the copy inherits. [SEC-23] */
export const PROTO = 'A JSON object has a member named __proto__.'
/** Why a text with such a number is refused: `JSON.parse` would read it as infinity, which JSON cannot carry. */
export const INFINITE = 'A number is beyond the range of a double.'

const BACKSLASH = 0x5c

class StrictReader {
  readonly #text: string
  readonly #exactIntegers: boolean
  readonly #scalar = /true|false|null|-?[0-9][0-9.eE+-]*/y
  readonly #space = /[ \t\n\r]*/y
  #at = 0

  constructor(text: string, exactIntegers: boolean) {
    this.#text = text
    this.#exactIntegers = exactIntegers
  }

  whole(): unknown {
    const value = this.#value()
    if (this.#peek() !== '') throw malformed()
    return value
  }

  #value(): unknown {
    const first = this.#peek()
    if (first === '{') return this.#object()
    if (first === '[') return this.#array()
    if (first === '"') return this.#string()
    this.#scalar.lastIndex = this.#at
    const [token] = this.#scalar.exec(this.#text) ?? []
    if (token === undefined) throw malformed()
    this.#at += token.length
    const value: unknown = JSON.parse(token)
    if (this.#exactIntegers && /^-?\d+$/.test(token) && !Number.isSafeInteger(value)) return token
    if (typeof value === 'number' && !Number.isFinite(value)) throw malformed(INFINITE)
    return value
  }

  #object(): object {
    const members: Record<string, unknown> = {}
    for (let more = this.#open('}'); more; more = this.#next('}')) {
      if (this.#peek() !== '"') throw malformed()
      const name = this.#string()
      if (this.#peek() !== ':') throw malformed()
      this.#at++
      if (name === '__proto__') throw malformed(PROTO)
      if (Object.hasOwn(members, name)) throw malformed(TWICE)
      members[name] = this.#value()
    }
    return members
  }

  #array(): unknown[] {
    const items: unknown[] = []
    for (let more = this.#open(']'); more; more = this.#next(']')) items.push(this.#value())
    return items
  }

  #string(): string {
    const start = this.#at
    this.#at = endOfString(this.#text, start) + 1
    return JSON.parse(this.#text.slice(start, this.#at))
  }

  /** Skips the opening bracket, and the closing one if nothing is between them. */
  #open(closing: string): boolean {
    this.#at++
    if (this.#peek() !== closing) return true
    this.#at++
    return false
  }

  /** Skips the token after an element; true at a comma, false at the closing bracket. */
  #next(closing: string): boolean {
    const char = this.#peek()
    this.#at++
    if (char !== ',' && char !== closing) throw malformed()
    return char === ','
  }

  /** The next character that is no white space, `''` at the end. */
  #peek(): string {
    this.#space.lastIndex = this.#at
    this.#space.test(this.#text)
    this.#at = this.#space.lastIndex
    return this.#text.charAt(this.#at)
  }
}
