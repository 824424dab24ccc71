const browsers = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const
const systems = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/**
 * Returns a short name for a browser, e.g. "Firefox, Android"; null if the User-Agent header names none that is known.
 */
export function browserName(userAgent: string): string | null {
  const nameIn = (list: readonly (readonly [RegExp, string])[]) => list.find(([one]) => one.test(userAgent))?.[1]
  const names = [nameIn(browsers), nameIn(systems)].filter((one) => one !== undefined)
  return names.length === 0 ? null : names.join(', ')
}
