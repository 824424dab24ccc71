import { Fault } from '../../fault.ts'

const json = 'application/json'

/**
 * Returns the offered media type that the client prefers; the first of equals.
 *
 * @param accept The Accept header; absent means anything.
 * @returns null if none of them is acceptable.
 * @see [RFC 9110, 12.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1)
 */
export function preferredType(accept: string | undefined, offered: readonly string[]): string | null {
  if (accept === undefined || accept === '' || accept === '*/*') return offered[0] ?? null
  const ranges = rangesOf(accept)
  let best: string | null = null
  let bestQuality = 0
  for (const type of offered) {
    const quality = qualityOf(type, ranges)
    if (quality > bestQuality) {
      best = type
      bestQuality = quality
    }
  }
  return best
}

/**
 * Returns the offered media type for an answer of the API. A client that names JSON of another name, such as
 * `application/vnd.api+json`, reads JSON; one that writes `*` means any type.
 *
 * @returns null if none of them is acceptable.
 */
export function answerType(accept: string | undefined, offered: readonly string[]): string | null {
  const preferred = preferredType(accept, offered)
  if (preferred !== null || !offered.includes(json)) return preferred
  const named = rangesOf(accept ?? '').filter(({ quality }) => quality > 0)
  return named.some(({ type }) => type === '*' || type === 'text/json' || type.endsWith('+json')) ? json : null
}

/** Returns whether an Accept header names a media type itself, not by a wildcard. A quality of 0 does not count. */
export function namesType(accept: string | undefined, type: string): boolean {
  return rangesOf(accept ?? '').some((range) => range.type === type && range.quality > 0)
}

/**
 * Returns the offered language that the client prefers, by its primary subtag: `fr-CA` is served by `fr`.
 *
 * @param header The Accept-Language header.
 * @returns null without a preference for one of them.
 * @see [RFC 9110, 12.5.4](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4)
 */
export function preferredLanguage(header: string | undefined, offered: readonly string[]): string | null {
  // Apart from subtags, a language range has the syntax of a media range: a name and its quality.
  const ranges = header?.slice(0, 1000).replaceAll(/\b([a-z]{2,3})-[a-z0-9-]+/gi, '$1')
  return ranges === undefined || ranges === '' ? null : preferredType(ranges, offered)
}

/** The refusal of a request that accepts none of the offered media types. */
export function notAcceptable(offered: readonly string[]): Fault {
  return new Fault('request.not_acceptable', {
    detail: `The answer is ${offered.join(' or ')}; the Accept header allows none of it.`,
  })
}

type Range = { readonly type: string; readonly quality: number }

function rangesOf(accept: string): readonly Range[] {
  return accept.slice(0, 1000).split(',').map(parseRange)
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((one) => one.startsWith('q='))
  const quality = q === undefined ? 1 : Number(q.slice(2))
  return { type, quality: Number.isNaN(quality) ? 0 : quality }
}

/** The most specific range decides, even with q=0. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const group = `${type.split('/')[0]}/*`
  for (const candidate of [type, group, '*/*']) {
    const range = ranges.find((one) => one.type === candidate)
    if (range !== undefined) return range.quality
  }
  return 0
}
