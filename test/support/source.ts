import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** One source file in three readings of the same length and lines. */
export type Source = {
  /** From the folder of the repository, with `/`. */
  readonly path: string
  readonly text: string
  /** Comments are blanks. */
  readonly uncommented: string
  /** Comments, strings, template texts and regular expressions are blanks; what is left is code. */
  readonly code: string
  /** Its regular expressions, as literals with their flags. */
  readonly patterns: readonly string[]
}

const read = new Map<string, readonly Source[]>()

/**
 * Every TypeScript file below a folder of the repository, in order of path, read once in a process. None when the
 * folder does not exist.
 */
export function sourcesIn(folder: string): readonly Source[] {
  const sources = read.get(folder) ?? readSources(folder)
  read.set(folder, sources)
  return sources
}

function readSources(folder: string): readonly Source[] {
  return filesIn(folder, '.ts').map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, text, ...blank(text) }
  })
}

/** Paths of the files below a folder of the repository whose names end in `ending`. */
export function filesIn(folder: string, ending = ''): readonly string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && one.name.endsWith(ending))
      .map((one) => relative(root, join(one.parentPath, one.name)).replaceAll('\\', '/'))
      .filter((path) => !path.includes('node_modules/'))
      .sort()
  } catch {
    return []
  }
}

/** Whether a file of src is there for tests only. */
export function isForTests(path: string): boolean {
  return path.endsWith('.test.ts') || path.includes('/test-support/') || path.endsWith('-for-tests.ts')
}

/** One-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

const TOKENS = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  string: /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y,
  regex: /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
  template: /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y,
}
/** What begins none of them, and opens or closes nothing. */
const PLAIN = /[^'"`/{}]+/y
/** A slash after one of these begins a regular expression; after anything else it divides. */
const BEFORE_REGEX = /(?:^|[([{,;=:!&|?+\-*%<>~^}]|\b(?:return|typeof|case|in|of|await|else))\s*$/

/**
 * A scanner, not a parser: it tells code from comments, strings, templates and regular expressions, and nothing more.
 * Enough for the rules of the house, which are about words, imports and lengths.
 */
export function blank(text: string): Pick<Source, 'uncommented' | 'code' | 'patterns'> {
  const patterns: string[] = []
  let uncommented = ''
  let code = ''
  let at = 0
  /** Open braces; true for those that began with `${`. */
  const braces: boolean[] = []

  const take = (kind: keyof typeof TOKENS): boolean => {
    const pattern = TOKENS[kind]
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found === undefined) return false
    if (kind === 'regex') patterns.push(found)
    const blanks = found.replace(/[^\n]/g, ' ')
    uncommented += kind === 'comment' ? blanks : found
    code += blanks
    at += found.length
    return true
  }
  const plain = (length: number) => {
    uncommented += text.slice(at, at + length)
    code += text.slice(at, at + length)
    at += length
  }
  const template = () => {
    take('template')
    if (text[at] === '`') return plain(1)
    braces.push(true)
    plain(2)
  }

  while (at < text.length) {
    const char = text[at]
    if (char === '/' && (take('comment') || (BEFORE_REGEX.test(code.slice(-40)) && take('regex')))) continue
    if ((char === "'" || char === '"') && take('string')) continue
    PLAIN.lastIndex = at
    plain(PLAIN.exec(text)?.[0].length ?? 1)
    if (char === '`') template()
    else if (char === '{') braces.push(false)
    else if (char === '}' && braces.pop() === true) template()
  }
  return { uncommented, code, patterns }
}
