/** More than the pages of a deployment use at a time: a few for each language and time zone. */
const KEPT_MAX = 200

/**
 * Returns `make` whose last results are kept by language and options. Where there are too many, all are forgotten: a
 * page needs few.
 */
function kept<Options extends object, Format>(make: (language: string, options: Options) => Format) {
  const formats = new Map<string, Format>()
  return (language: string, options: Options): Format => {
    const key = JSON.stringify([language, options])
    const known = formats.get(key)
    if (known !== undefined) return known
    if (formats.size >= KEPT_MAX) formats.clear()
    const made = make(language, options)
    formats.set(key, made)
    return made
  }
}

/**
 * Returns the formatter of dates for a language and options. Making one takes longer than all else that a row of a list
 * costs, so they are kept; they hold nothing of a tenant.
 *
 * @throws RangeError for an unknown time zone
 */
export const dateFormat = kept(
  (language, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options),
)

/** As {@link dateFormat}, for numbers. @throws RangeError for an unknown unit */
export const numberFormat = kept(
  (language, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options),
)

/** As {@link dateFormat}, for times from now. */
export const relativeTimeFormat = kept(
  (language, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(language, options),
)

/**
 * As {@link dateFormat}, for names of languages, countries and the like.
 *
 * @throws TypeError for an unknown kind of names
 */
export const displayNames = kept(
  (language, options: Intl.DisplayNamesOptions) => new Intl.DisplayNames(language, options),
)

let zones: readonly string[] | null = null

/** Returns the names of the time zones that formatters know, UTC first. They are collected once a process. */
export function timeZones(): readonly string[] {
  zones ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
  return zones
}
