/** `csr-list` is `CsrList`. */
export function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** `certificates` is `certificate`. */
export function singular(noun: string): string {
  if (/(ss|us|is)$/.test(noun)) return noun
  return noun
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch)es$/, '$1')
    .replace(/s$/, '')
}

/** `Certificate` is `Certificates`. */
export function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, 'ies')
  return /(s|x|ch)$/.test(noun) ? `${noun}es` : `${noun}s`
}
