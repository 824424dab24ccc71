import { Fault, type FaultCode } from '../../fault.ts'

/** A token of a filter or of a path. A `word` is an attribute, an operator or a value without quotation marks. */
export type Token = { readonly kind: 'word' | 'string'; readonly text: string } | { readonly kind: Mark }
type Mark = '(' | ')' | '[' | ']'

const CHARS_MAX = 4096
/** One token and the spaces before it. A string is checked by JSON.parse. */
const TOKEN = / *(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y

/** Splits a filter or a path into its tokens, in linear time. @throws Fault `fault` */
export function tokensOf(text: string, fault: FaultCode): readonly Token[] {
  if (text.length > CHARS_MAX) throw new Fault(fault, { detail: `It is longer than ${CHARS_MAX} characters.` })
  const source = text.trimEnd()
  const tokens: Token[] = []
  const reader = new RegExp(TOKEN)
  while (reader.lastIndex < source.length) {
    const at = reader.lastIndex
    const [, mark, quoted, word] = reader.exec(source) ?? []
    if (mark !== undefined) tokens.push({ kind: mark as Mark })
    else if (quoted !== undefined) tokens.push({ kind: 'string', text: unquoted(quoted, fault) })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else throw new Fault(fault, { detail: `It cannot be read from character ${at + 1} on.` })
  }
  return tokens
}

function unquoted(text: string, fault: FaultCode): string {
  try {
    // A JSON string, by the form of the token.
    return JSON.parse(text) as string
  } catch (cause) {
    throw new Fault(fault, { detail: 'A string is not well-formed JSON.', cause })
  }
}
