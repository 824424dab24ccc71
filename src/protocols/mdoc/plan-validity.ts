import type { ValidityInfo } from './mobile-security-object.ts'
import type { SignerCertificate } from './signer-certificate.ts'

const DAY_MS = 86_400_000

/**
 * The times of an mdoc that is issued now: whole days in UTC, so that they link nobody to a moment [MD-3].
 *
 * On the first day of a certificate its own beginning stands for that of the day, and its end bounds that of the credential.
 *
 * @param ask `validFrom`: now unless told. `validUntil`: as long as the certificate unless told; its day is not included.
 */
export function planValidity(
  ask: { readonly now: Date; readonly validFrom?: Date | undefined; readonly validUntil?: Date | undefined },
  { notBefore, notAfter }: Pick<SignerCertificate, 'notBefore' | 'notAfter'>,
): ValidityInfo {
  const signed = latest(dayOf(ask.now), notBefore)
  return {
    signed,
    validFrom: latest(dayOf(ask.validFrom ?? ask.now), signed),
    validUntil: earliest(dayOf(ask.validUntil ?? notAfter), notAfter),
  }
}

function dayOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS)
}

function latest(one: Date, other: Date): Date {
  return one > other ? one : other
}

function earliest(one: Date, other: Date): Date {
  return one < other ? one : other
}
