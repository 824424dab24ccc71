import { Fault } from '../../fault.ts'
import { type FilterToken, tokensOf } from './filter-tokens.ts'

/** Operators that compare an attribute with a value. */
const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
/** One of {@link OPERATORS}. */
export type Operator = (typeof OPERATORS)[number]

/** Names an attribute. All parts are in lower case, because names are compared without it (RFC 7643 2.1). */
export type AttributePath = {
  /** The schema that a fully qualified name begins with. */
  readonly schema: string | null
  readonly name: string
  readonly sub: string | null
}

/** A value that an attribute is compared with. */
export type ComparedValue = string | number | boolean | null

/** A filter. @see [RFC 7644, 3.4.2.2](https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.2) */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | {
      readonly kind: 'compare'
      readonly path: AttributePath
      readonly operator: Operator
      readonly value: ComparedValue
    }
  /** Elements of a multi-valued attribute: `emails[type eq "work"]`. */
  | { readonly kind: 'element'; readonly path: AttributePath; readonly filter: Filter }

/** The target of a PATCH operation: an attribute, or elements of it, or an attribute of these. */
export type TargetPath = {
  readonly path: AttributePath
  readonly filter: Filter | null
  /** The attribute of the elements that the filter selects. */
  readonly sub: string | null
}

const WORDS: ReadonlySet<string> = new Set([...OPERATORS, 'pr', 'and', 'or', 'not'])
const DEPTH_MAX = 10
const COMPARISONS_MAX = 50

/**
 * Parses a filter. Not applied to any schema: whether an attribute exists is for the caller to check.
 *
 * @throws Fault `scim.invalid_filter`, also beyond 4,096 characters, 50 comparisons or a nesting of 10.
 */
export function parseFilter(text: string): Filter {
  const reader = new Reader(tokensOf(text, 'scim.invalid_filter'), 'scim.invalid_filter')
  const filter = reader.filter(0, false)
  reader.end()
  return filter
}

/**
 * Parses the `path` of a PATCH operation.
 *
 * @throws Fault `scim.invalid_path`
 * @see [RFC 7644, 3.5.2](https://www.rfc-editor.org/rfc/rfc7644#section-3.5.2)
 */
export function parseTargetPath(text: string): TargetPath {
  const reader = new Reader(tokensOf(text, 'scim.invalid_path'), 'scim.invalid_path')
  const path = reader.attribute()
  const filter = reader.take('[') ? reader.elementFilter(0) : null
  const sub = filter === null ? null : reader.subAttribute()
  reader.end()
  return { path, filter, sub }
}

/** Parses the name of an attribute, as `sortBy` and `attributes` have it. @throws Fault `scim.invalid_path` */
export function parseAttribute(text: string): AttributePath {
  const reader = new Reader(tokensOf(text, 'scim.invalid_path'), 'scim.invalid_path')
  const path = reader.attribute()
  reader.end()
  return path
}

/** Recursive descent over the tokens; each token is read once. */
class Reader {
  readonly #tokens: readonly FilterToken[]
  readonly #fault: 'scim.invalid_filter' | 'scim.invalid_path'
  #next = 0
  #comparisons = 0

  constructor(tokens: readonly FilterToken[], fault: 'scim.invalid_filter' | 'scim.invalid_path') {
    this.#tokens = tokens
    this.#fault = fault
  }

  /**
   * `or` binds least, then `and`, then `not` (RFC 7644 3.4.2.2, "Filters MUST be evaluated using the following order").
   */
  filter(depth: number, isInElement: boolean): Filter {
    return this.#joined('or', () => this.#joined('and', () => this.#term(depth, isInElement)))
  }

  elementFilter(depth: number): Filter {
    const filter = this.filter(depth + 1, true)
    if (!this.take(']')) throw this.#refused('a ] is missing')
    return filter
  }

  attribute(): AttributePath {
    const token = this.#tokens[this.#next]
    if (token?.kind !== 'word') throw this.#refused('an attribute is missing')
    this.#next += 1
    return attributeOf(token.text) ?? this.#fail(`${token.text.slice(0, 80)} is no attribute`)
  }

  subAttribute(): string | null {
    const token = this.#tokens[this.#next]
    if (token?.kind !== 'word' || !token.text.startsWith('.')) return null
    this.#next += 1
    return /^\.([A-Za-z$][\w$-]*)$/.exec(token.text)?.[1]?.toLowerCase() ?? this.#fail('a sub-attribute is malformed')
  }

  take(mark: '(' | ')' | '[' | ']'): boolean {
    const isNext = this.#tokens[this.#next]?.kind === mark
    if (isNext) this.#next += 1
    return isNext
  }

  end(): void {
    if (this.#next < this.#tokens.length) throw this.#refused('something follows its end')
  }

  #joined(word: 'and' | 'or', read: () => Filter): Filter {
    const first = read()
    const parts = [first]
    while (this.#takeWord(word)) parts.push(read())
    return parts.length === 1 ? first : { kind: word, parts }
  }

  #term(depth: number, isInElement: boolean): Filter {
    if (depth > DEPTH_MAX) throw this.#refused(`it is nested deeper than ${DEPTH_MAX}`)
    if (this.#tokens[this.#next + 1]?.kind === '(' && this.#takeWord('not')) {
      return { kind: 'not', part: this.#group(depth, isInElement) }
    }
    if (this.#tokens[this.#next]?.kind === '(') return this.#group(depth, isInElement)
    const path = this.attribute()
    if (!isInElement && this.take('[')) return this.#element(path, depth)
    return this.#comparison(path)
  }

  /**
   * Entra ID writes `emails[type eq "work"].value eq "…"`, which is no filter of RFC 7644 and means one of an element.
   */
  #element(path: AttributePath, depth: number): Filter {
    const filter = this.elementFilter(depth)
    const name = this.subAttribute()
    if (name === null) return { kind: 'element', path, filter }
    const ofSub = this.#comparison({ schema: null, name, sub: null })
    return { kind: 'element', path, filter: { kind: 'and', parts: [filter, ofSub] } }
  }

  #group(depth: number, isInElement: boolean): Filter {
    this.take('(')
    const filter = this.filter(depth + 1, isInElement)
    if (!this.take(')')) throw this.#refused('a ) is missing')
    return filter
  }

  #comparison(path: AttributePath): Filter {
    this.#comparisons += 1
    if (this.#comparisons > COMPARISONS_MAX) throw this.#refused(`it has more than ${COMPARISONS_MAX} comparisons`)
    if (this.#takeWord('pr')) return { kind: 'present', path }
    const operator = OPERATORS.find((one) => this.#takeWord(one))
    if (operator === undefined) throw this.#refused('an operator is missing')
    const token = this.#tokens[this.#next]
    this.#next += 1
    if (token?.kind === 'string') return { kind: 'compare', path, operator, value: token.text }
    if (token?.kind !== 'word') throw this.#refused('a value is missing')
    return { kind: 'compare', path, operator, value: this.#bareValue(token.text) }
  }

  #bareValue(text: string): ComparedValue {
    const word = text.toLowerCase()
    if (word === 'null') return null
    if (word === 'true' || word === 'false') return word === 'true'
    if (/^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text)) return Number(text)
    // Clients leave the quotation marks out: what is no word of the grammar and no number of JSON is a string.
    const isText = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.:@+'/-]*$/u.test(text)
    if (isText && !WORDS.has(word) && !/^\d+(\.\d+)?e[+-]?\d+$/.test(word)) return text
    throw this.#refused(`${text.slice(0, 80)} is no JSON value; a text stands in double quotation marks`)
  }

  #takeWord(word: string): boolean {
    const token = this.#tokens[this.#next]
    const isNext = token?.kind === 'word' && token.text.toLowerCase() === word
    if (isNext) this.#next += 1
    return isNext
  }

  #fail(why: string): never {
    throw this.#refused(why)
  }

  #refused(why: string): Fault {
    const what = this.#fault === 'scim.invalid_filter' ? 'filter' : 'path'
    return new Fault(this.#fault, { detail: `The ${what} cannot be read: ${why}.` })
  }
}

/**
 * Returns the attribute that a name names; null for another text.
 *
 * RFC 7644 figure 1: `[URI ":"] ATTRNAME [subAttr]`. The URI of a schema contains colons and dots itself.
 */
export function attributeOf(text: string): AttributePath | null {
  const colon = text.lastIndexOf(':')
  const names = /^([A-Za-z$][\w$-]*)(?:\.([A-Za-z$][\w$-]*))?$/.exec(text.slice(colon + 1))
  if (names?.[1] === undefined) return null
  const schema = colon === -1 ? null : text.slice(0, colon).toLowerCase()
  if (schema !== null && !schema.startsWith('urn:')) return null
  return { schema, name: names[1].toLowerCase(), sub: names[2]?.toLowerCase() ?? null }
}
