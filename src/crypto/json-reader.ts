import { Fault } from '../fault.ts'

const scalar = /true|false|null|-?[0-9][0-9.eE+-]*/y
const [SPACE, TAB, NEWLINE, RETURN, QUOTE, COMMA, COLON] = [0x20, 0x09, 0x0a, 0x0d, 0x22, 0x2c, 0x3a]
const [BACKSLASH, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Limits of a text. `depthMax`: nested arrays and objects, the outermost counts as 1. `valuesMax`: values, the
 * outermost included. `escapedNames`: whether member names may contain escapes, which no registered name needs.
 * `exactIntegers`: an integer beyond 2^53 is returned as its text instead of rounded.
 */
export type ReaderLimits = {
  readonly depthMax: number
  readonly valuesMax: number
  readonly escapedNames?: boolean
  readonly exactIntegers?: boolean | undefined
}

/** An array or object that is being read. */
type Open =
  | { readonly items: unknown[]; readonly members: null }
  | { readonly items: null; readonly members: Record<string, unknown>; name: string }

/**
 * Reads one JSON text, whole or in pieces.
 *
 * @throws Fault `json.malformed`, whose detail says why or where
 */
export class JsonReader {
  readonly #text: string
  readonly #limits: ReaderLimits
  /** From the outermost on. */
  readonly #open: Open[] = []
  #values = 0
  #at = 0

  constructor(text: string, limits: ReaderLimits) {
    this.#text = text
    this.#limits = limits
  }

  whole(): unknown {
    const read = this.piece(Number.POSITIVE_INFINITY)
    if (read === null) throw malformed()
    return read.whole
  }

  /** Reads some values further. @returns the whole value once it is read; null before */
  piece(values: number): { readonly whole: unknown } | null {
    try {
      return this.#read(values)
    } catch (cause) {
      throw cause instanceof Fault && cause.detail !== undefined ? cause : malformed(this.#whereItEnds())
    }
  }

  /** Says up to where the text is well-formed, by line and column from 1. */
  #whereItEnds(): string {
    const before = this.#text.slice(0, this.#at).split('\n')
    const column = (before.at(-1)?.length ?? 0) + 1
    return `The text is not well-formed JSON at line ${before.length}, column ${column}.`
  }

  #read(values: number): { readonly whole: unknown } | null {
    const until = this.#values + values
    while (this.#values < until) {
      const read = this.#next()
      if (read === null || !this.#ends(read)) continue
      if (!Number.isNaN(this.#peek())) throw malformed()
      return { whole: read.value }
    }
    return null
  }

  /** Reads a scalar, an empty array or object, or the beginning of another one, for which null is returned. */
  #next(): { value: unknown } | null {
    const { valuesMax, depthMax } = this.#limits
    if (++this.#values > valuesMax) throw malformed(`The JSON holds more than ${valuesMax} values.`)
    const first = this.#peek()
    if (first === QUOTE) return { value: this.#string() }
    if (first !== OPENING_BRACE && first !== OPENING_BRACKET) return { value: this.#scalar() }
    if (this.#open.length === depthMax) throw malformed('The JSON is nested too deeply.')
    if (first === OPENING_BRACKET) {
      const items: unknown[] = []
      if (!this.#opens(CLOSING_BRACKET)) return { value: items }
      this.#open.push({ items, members: null })
      return null
    }
    const members: Record<string, unknown> = {}
    if (!this.#opens(CLOSING_BRACE)) return { value: members }
    this.#open.push({ items: null, members, name: this.#name() })
    return null
  }

  /**
   * Puts a value in its place, and closes what ends behind it, which `read` is then.
   *
   * @returns whether it is the outermost
   */
  #ends(read: { value: unknown }): boolean {
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      if (open.items !== null) open.items.push(read.value)
      else open.members[open.name] = read.value
      if (this.#goesOn(open.items === null ? CLOSING_BRACE : CLOSING_BRACKET)) {
        if (open.items === null) {
          open.name = this.#name()
          if (Object.hasOwn(open.members, open.name)) throw malformed('A JSON object has a duplicate member name.')
        }
        return false
      }
      this.#open.pop()
      read.value = open.items ?? open.members
    }
    return true
  }

  #name(): string {
    if (this.#peek() !== QUOTE) throw malformed()
    const start = this.#at
    const name = this.#string()
    if (this.#limits.escapedNames === false && this.#text.slice(start, this.#at).includes('\\'))
      throw malformed('A member name contains escapes.')
    // [SEC-23] copying the member would change what the copy inherits
    if (name === '__proto__') throw malformed('A JSON object has a member named __proto__.')
    if (this.#peek() !== COLON) throw malformed()
    this.#at++
    return name
  }

  #string(): string {
    const start = this.#at
    let end = this.#text.indexOf('"', start + 1)
    while (end !== -1 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1)
    if (end === -1) throw malformed()
    const text: string = JSON.parse(this.#text.slice(start, end + 1))
    this.#at = end + 1
    return text
  }

  #isEscaped(quote: number): boolean {
    let backslashes = 0
    while (this.#text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++
    return backslashes % 2 === 1
  }

  #scalar(): unknown {
    scalar.lastIndex = this.#at
    const [token] = scalar.exec(this.#text) ?? []
    if (token === undefined) throw malformed()
    const value: unknown = JSON.parse(token)
    this.#at += token.length
    if (typeof value !== 'number') return value
    if (this.#limits.exactIntegers === true && /^-?\d+$/.test(token) && !Number.isSafeInteger(value)) return token
    // JSON cannot carry infinity
    if (!Number.isFinite(value)) throw malformed('A number is beyond the range of a double.')
    return value
  }

  /** Skips the opening bracket, and the closing one if nothing is between them. Returns whether an element follows. */
  #opens(closing: number): boolean {
    this.#at++
    if (this.#peek() !== closing) return true
    this.#at++
    return false
  }

  /** Skips the comma or the closing bracket after an element. Returns whether another one follows. */
  #goesOn(closing: number): boolean {
    const char = this.#peek()
    if (char !== COMMA && char !== closing) throw malformed()
    this.#at++
    return char === COMMA
  }

  /** Returns the next character that is no white space, NaN at the end. */
  #peek(): number {
    let char = this.#text.charCodeAt(this.#at)
    while (char === SPACE || char === NEWLINE || char === RETURN || char === TAB)
      char = this.#text.charCodeAt(++this.#at)
    return char
  }
}

/** Returns the fault for a JSON text that is refused. */
export function malformed(detail?: string): Fault {
  return new Fault('json.malformed', detail === undefined ? {} : { detail })
}
