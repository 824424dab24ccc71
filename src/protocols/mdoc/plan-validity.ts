import type { ValidityInfo } from './mobile-security-object.ts'
import type { SignerCertificate } from './signer-certificate.ts'

const DAY_MS = 86_400_000

/**
 * Returns the times of an mdoc that is issued now: whole days in UTC, so that they do not link credentials [MD-3]. They
 * never exceed the validity of the certificate.
 *
 * @param input `validFrom`: by default now. `validUntil`: by default the end of the certificate; its day is not
 *   included.
 */
export function planValidity(
  input: { readonly now: Date; readonly validFrom?: Date | undefined; readonly validUntil?: Date | undefined },
  { notBefore, notAfter }: Pick<SignerCertificate, 'notBefore' | 'notAfter'>,
): ValidityInfo {
  const signed = latest(dayOf(input.now), notBefore)
  return {
    signed,
    validFrom: latest(dayOf(input.validFrom ?? input.now), signed),
    validUntil: earliest(dayOf(input.validUntil ?? notAfter), notAfter),
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
