/** Functions of values and style rules that neither fetch nor run. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  `rgb rgba hsl hsla hwb lab lch oklab oklch matrix translate translatex translatey scale scalex scaley rotate skewx skewy calc min max
   clamp`.split(/\s+/),
)
const CSS_CHARS_MAX = 20_000
const VALUE_CHARS_MAX = 60_000

/** Whether the value of an attribute has no address other than `url(#id)`, and no function that is not on the list. */
export function isPlainValue(value: string): boolean {
  return value.length <= VALUE_CHARS_MAX && !/[\\<>{}@]/.test(value) && hasPlainFunctions(value) && !hasScheme(value)
}

/**
 * As {@link isPlainValue}, of style rules: no at-rules, no escapes, which could spell one, no clips or filters, which
 * could multiply.
 */
export function isPlainCss(css: string): boolean {
  const text = withoutComments(css)
  if (text.length > CSS_CHARS_MAX || text.includes('/*') || /[\\<@&]/.test(css)) return false
  return hasPlainFunctions(text) && !/expression|behaviou?r|binding|clip-path|mask|filter/i.test(text)
}

/** An expression would search for the end of a comment again at each beginning of one. */
function withoutComments(css: string): string {
  let text = ''
  for (let from = 0; ; ) {
    const start = css.indexOf('/*', from)
    const end = start === -1 ? -1 : css.indexOf('*/', start + 2)
    if (end === -1) return text + css.slice(from)
    text += `${css.slice(from, start)} `
    from = end + 2
  }
}

function hasPlainFunctions(text: string): boolean {
  const rest = text.replaceAll(/url\(\s*(['"]?)#[\w.-]{1,100}\1\s*\)/gi, ' ')
  const names = rest
    .split('(')
    .slice(0, -1)
    .map((before) => /(?<![\w-])[\w-]{1,20}$/.exec(before.trimEnd())?.[0] ?? '')
  return names.every((name) => FUNCTIONS.has(name.toLowerCase()))
}

/** `javascript:` and the like; a font or an id has no colon. */
function hasScheme(value: string): boolean {
  return /^\s*[a-z][a-z0-9+.-]*\s*:/i.test(value)
}
