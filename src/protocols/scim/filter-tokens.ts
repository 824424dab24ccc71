import { parseJson } from '../../crypto/json.ts'
import { Fault, type FaultCode } from '../../fault.ts'

/** A token of a filter or of a path. A `word` is an attribute, an operator or a value without quotation marks. */
export type FilterToken = { readonly kind: 'word' | 'string'; readonly text: string } | { readonly kind: Mark }
type Mark = '(' | ')' | '[' | ']'

const CHARS_MAX = 4096
const marks: ReadonlySet<string> = new Set<Mark>(['(', ')', '[', ']'])

/** Splits a filter or a path into its tokens, in linear time. @throws Fault `fault` */
export function tokensOf(text: string, fault: FaultCode): readonly FilterToken[] {
  if (text.length > CHARS_MAX) throw new Fault(fault, { detail: `It is longer than ${CHARS_MAX} characters.` })
  const tokens: FilterToken[] = []
  for (let at = 0; at < text.length; ) {
    const sign = text.charAt(at)
    const end = sign === '"' ? endOfString(text, at) : endOfWord(text, at)
    if (end === at) throw new Fault(fault, { detail: `It cannot be read from character ${at + 1} on.` })
    const part = text.slice(at, end)
    if (sign === '"') tokens.push({ kind: 'string', text: unquoted(part, fault) })
    else if (marks.has(sign)) tokens.push({ kind: sign as Mark })
    else if (sign !== ' ') tokens.push({ kind: 'word', text: part })
    at = end
  }
  return tokens
}

/** Where the string that begins at `start` ends; `start` if it does not. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at + 1
    if (text[at] === '\\') at += 1
  }
  return start
}

/** Where a word ends; a mark or a space ends after itself. */
function endOfWord(text: string, start: number): number {
  const ends = (sign: string) => sign === ' ' || sign === '"' || marks.has(sign)
  if (ends(text.charAt(start))) return start + 1
  let at = start
  while (at < text.length && !ends(text.charAt(at))) at += 1
  return at
}

function unquoted(text: string, fault: FaultCode): string {
  try {
    return String(parseJson(text))
  } catch (cause) {
    throw new Fault(fault, { detail: 'A string is not well-formed JSON.', cause })
  }
}
