/** A block of a text, with its first and last line, from 1. */
type PemBlock = { readonly text: string; readonly first: number; readonly last: number }

/** What is wrong with the form of a text: which rule, and in which line. */
type PemFault = { readonly rule: 'stray' | 'unended' | 'otherKind'; readonly line: number }

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'

/**
 * Splits a text into its PEM blocks. Text before the first block and between blocks is a fault, unlike in RFC 7468: a
 * person who pasted too much or too little hears of it. What is inside of a block is not decoded.
 */
export function pemLines(text: string): { readonly blocks: readonly PemBlock[]; readonly faults: readonly PemFault[] } {
  const blocks: PemBlock[] = []
  const faults: PemFault[] = []
  const lines = text.split(/\r\n|\n|\r/).map((one) => one.trim())
  let first = 0
  for (const [index, line] of lines.entries()) {
    const at = index + 1
    if (line === BEGIN) {
      if (first > 0) faults.push({ rule: 'unended', line: first })
      first = at
    } else if (line.startsWith('-----BEGIN')) {
      faults.push({ rule: 'otherKind', line: at })
      return { blocks, faults }
    } else if (line === END && first > 0) {
      blocks.push({ text: `${lines.slice(first - 1, at).join('\n')}\n`, first, last: at })
      first = 0
    } else if (line !== '' && first === 0) {
      faults.push({ rule: 'stray', line: at })
      return { blocks, faults }
    }
  }
  if (first > 0) faults.push({ rule: 'unended', line: first })
  return { blocks, faults }
}
