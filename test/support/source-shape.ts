import type { Source } from './source.ts'

/** One `import … from`, `export … from` or `import()`. */
export type Import = { readonly target: string; readonly statement: string; readonly reExports: boolean }

const FROM =
  /^(import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|^(import)\s*['"]([^'"]+)['"]|\b(import)\(\s*['"]([^'"]+)['"]/gm

/** What a file imports, types included. */
export function importsOf({ uncommented }: Source): readonly Import[] {
  return [...uncommented.matchAll(FROM)].map((found) => {
    return {
      target: found[2] ?? found[4] ?? found[6] ?? '',
      statement: found[0].replace(/\s+/g, ' '),
      reExports: found[1] === 'export',
    }
  })
}

/** A function with a block for a body. `offset` is where it begins, `lines` counts from there to its closing brace. */
export type Block = { readonly offset: number; readonly lines: number }

const CONTROL = /\b(?:if|for|while|switch|catch|with|await)$/
const DECLARED = /(?:^|[\n{;,])\s*(?:(?:export|async|static|get|set|override|private|function)\b\s*)*\*?\s*[\w$#]+$/

/**
 * Functions, methods and arrow functions that have a block. An arrow function that is one expression is not counted.
 */
export function functionsOf({ code }: Pick<Source, 'code'>): readonly Block[] {
  const found: Block[] = []
  for (let at = code.indexOf('('); at !== -1; at = code.indexOf('(', at + 1)) {
    const body = bodyAfter(code, at)
    if (body === null) continue
    const end = closing(code, body)
    found.push({ offset: at, lines: code.slice(at, end).split('\n').length })
  }
  return found
}

/**
 * Offset of the `{` that begins the body of the function whose parameter list begins at `open`; null when there is
 * none.
 */
function bodyAfter(code: string, open: number): number | null {
  const before = withoutTypeParameters(code.slice(Math.max(0, open - 1_000), open).trimEnd())
  const after = skipBlanks(code, closing(code, open))
  if (code.startsWith('=>', after)) return braceAt(code, skipBlanks(code, after + 2))
  if (code[after] === '{') return /[\w$]$/.test(before) && !CONTROL.test(before) ? after : null
  if (code[after] !== ':') return null
  const typeEnd = endOfType(code, after + 1)
  if (code.startsWith('=>', typeEnd)) return braceAt(code, skipBlanks(code, typeEnd + 2))
  return DECLARED.test(before) ? braceAt(code, typeEnd) : null
}

function braceAt(code: string, at: number): number | null {
  return code[at] === '{' ? at : null
}

/** Where a return type ends: at the body's brace, at `=>`, or at what no type contains. */
function endOfType(code: string, from: number): number {
  let at = skipBlanks(code, from)
  for (let expectsType = true; at < code.length; at = skipBlanks(code, at)) {
    const char = code[at] ?? ''
    if (char === '{' && !expectsType) return at
    if (code.startsWith('=>', at) || /[;)\]}=,?]/.test(char)) return at
    if (/[{([<]/.test(char)) at = closing(code, at)
    else at += 1
    expectsType = /[|&:]/.test(char) || /\b(?:is|asserts|keyof|readonly)$/.test(code.slice(at - 10, at))
  }
  return at
}

/** Offset behind the bracket that closes the one at `open`. */
function closing(code: string, open: number): number {
  const [left, right] = { '(': '()', '{': '{}', '[': '[]', '<': '<>' }[code[open] ?? ''] ?? '()'
  let depth = 0
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === left) depth += 1
    else if (code[at] === right && !(right === '>' && code[at - 1] === '=')) depth -= 1
    if (depth === 0) return at + 1
  }
  return code.length
}

function withoutTypeParameters(before: string): string {
  if (!before.endsWith('>') || before.endsWith('=>')) return before
  let depth = 0
  for (let at = before.length - 1; at >= 0; at -= 1) {
    if (before[at] === '>' && before[at - 1] !== '=') depth += 1
    else if (before[at] === '<') depth -= 1
    if (depth === 0) return before.slice(0, at)
  }
  return before
}

function skipBlanks(code: string, from: number): number {
  let at = from
  while (/\s/.test(code[at] ?? '')) at += 1
  return at
}
