import { Fault } from '../fault.ts'

const scalar = /true|false|null|-?[0-9][0-9.eE+-]*/y
const [SPACE, TAB, NEWLINE, RETURN, QUOTE, COMMA, COLON] = [0x20, 0x09, 0x0a, 0x0d, 0x22, 0x2c, 0x3a]
const [BACKSLASH, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Limits of a text. `depthMax`: nested arrays and objects, the outermost counts as 1. `valuesMax`: values, the outermost included.
 * `escapedNames`: whether member names may contain escapes, which no registered name needs. `exactIntegers`: an integer beyond 2^53 is
 * returned as its text instead of rounded.
 */
export type ReaderLimits = {
  readonly depthMax: number
  readonly valuesMax: number
  readonly escapedNames?: boolean
  readonly exactIntegers?: boolean | undefined
}

/** Reads one JSON text. @throws Fault `json.malformed`, or a SyntaxError of the engine for a bad string or number */
export class JsonReader {
  readonly #text: string
  readonly #limits: ReaderLimits
  #values = 0
  #at = 0

  constructor(text: string, limits: ReaderLimits) {
    this.#text = text
    this.#limits = limits
  }

  whole(): unknown {
    const value = this.#value(1)
    if (!Number.isNaN(this.#peek())) throw malformed()
    return value
  }

  /** @param depth That of an array or object which begins here. */
  #value(depth: number): unknown {
    const { valuesMax, depthMax } = this.#limits
    if (++this.#values > valuesMax) throw malformed(`The JSON holds more than ${valuesMax} values.`)
    const first = this.#peek()
    if (first === QUOTE) return this.#string()
    if (first !== OPENING_BRACE && first !== OPENING_BRACKET) return this.#scalar()
    if (depth > depthMax) throw malformed('The JSON is nested too deeply.')
    return first === OPENING_BRACE ? this.#object(depth) : this.#array(depth)
  }

  #object(depth: number): object {
    const members: Record<string, unknown> = {}
    for (let more = this.#opens(CLOSING_BRACE); more; more = this.#goesOn(CLOSING_BRACE)) {
      const name = this.#name()
      if (Object.hasOwn(members, name)) throw malformed('A JSON object has a duplicate member name.')
      members[name] = this.#value(depth + 1)
    }
    return members
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

  #array(depth: number): unknown[] {
    const items: unknown[] = []
    for (let more = this.#opens(CLOSING_BRACKET); more; more = this.#goesOn(CLOSING_BRACKET)) {
      items.push(this.#value(depth + 1))
    }
    return items
  }

  #string(): string {
    const start = this.#at
    let end = this.#text.indexOf('"', start + 1)
    while (end !== -1 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1)
    if (end === -1) throw malformed()
    this.#at = end + 1
    return JSON.parse(this.#text.slice(start, this.#at))
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
    this.#at += token.length
    const value: unknown = JSON.parse(token)
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
