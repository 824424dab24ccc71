/** Authentication context classes: how a user authenticated. */
export const ACR = {
  single: 'urn:chirograph:acr:single-factor',
  two: 'urn:chirograph:acr:two-factor',
} as const

const KNOWN = new Set(['pwd', 'pin', 'kba'])
const HELD = new Set(['otp', 'sms', 'hwk', 'swk', 'sc', 'pop'])

/**
 * Returns the class of a sign-in by its methods (RFC 8176): two factors are what the user knows and holds, or a key
 * that the device uses only after it verified the user.
 */
export function acrOf(methods: readonly string[]): string {
  const knows = methods.some((one) => KNOWN.has(one)) || methods.includes('user')
  const holds = methods.some((one) => HELD.has(one))
  return methods.includes('mfa') || (knows && holds) ? ACR.two : ACR.single
}

/** Whether a sign-in satisfies one of the requested classes; true if none that we know is requested. */
export function satisfiesAcr(methods: readonly string[], requested: readonly string[]): boolean {
  const known = requested.filter((one) => one === ACR.single || one === ACR.two)
  return known.length === 0 || known.includes(ACR.single) || acrOf(methods) === ACR.two
}
