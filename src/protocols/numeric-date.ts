/** [SEC-80] Tolerated difference between clocks. */
export const CLOCK_SKEW_SECONDS = 60

/** Returns a time as NumericDate, in whole seconds. @see [RFC 7519, 2](https://www.rfc-editor.org/rfc/rfc7519#section-2) */
export function toNumericDate(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

/** Whether a value is a NumericDate that a Date can hold. */
export function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < 8e12
}
