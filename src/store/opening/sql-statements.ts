/**
 * Comments, strings, quoted names and dollar-quoted bodies, in which a semicolon ends nothing; then the semicolon, and
 * all else.
 */
const TOKENS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;|[^-/'"$;]+|[\s\S]/g

/**
 * Returns the statements of a SQL script of ours, without comments before them. It has no nested comments and no
 * strings with backslashes.
 */
export function statementsOf(script: string): string[] {
  const statements: string[] = []
  let current = ''
  for (const [token] of script.matchAll(TOKENS)) {
    if (token === ';') {
      statements.push(current.trim())
      current = ''
    } else if (current !== '' || !/^(--|\/\*|\s+$)/.test(token)) current += token
  }
  return [...statements, current.trim()].filter((one) => one !== '')
}
