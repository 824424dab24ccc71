import type { ValidityInfo } from '../../protocols/mdoc/mobile-security-object.ts'
import { planValidity } from '../../protocols/mdoc/plan-validity.ts'
import type { SignerCertificate } from '../../protocols/mdoc/signer-certificate.ts'

/** A moment in a template: a date (UTC, its first moment), a time, or a span from the moment of issuance. */
export type ValidityMoment =
  | string
  | { readonly future: { readonly days?: number; readonly months?: number; readonly years?: number } }

/** Time claims are rounded down to this, so that credentials of one holder cannot be linked by it. [VCI-C15] */
const ROUNDED_TO_MS = 3_600_000

/** Returns the `iat` of a credential issued at that time. */
function roundedTime(at: Date): Date {
  return new Date(at.getTime() - (at.getTime() % ROUNDED_TO_MS))
}

/** Resolves a moment for a credential issued at `from` (UTC calendar; the last day of a month stays the last day). */
export function timeOfMoment(moment: ValidityMoment, from: Date): Date {
  if (typeof moment === 'string') return new Date(moment)
  const { days = 0, months = 0, years = 0 } = moment.future
  const time = new Date(from)
  const day = time.getUTCDate()
  time.setUTCDate(1)
  time.setUTCMonth(time.getUTCMonth() + months + 12 * years)
  const daysInMonth = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 0)).getUTCDate()
  time.setUTCDate(Math.min(day, daysInMonth) + days)
  return time
}

/** The time claims of a credential. */
type Validity = { readonly iat: Date; readonly nbf: Date | undefined; readonly exp: Date | undefined }

type ValidityMoments = { readonly validFrom?: ValidityMoment; readonly validUntil?: ValidityMoment }

type OwnMoments = { readonly validFrom?: string | undefined; readonly validUntil?: string | undefined }

/** When one credential is valid, where its issuance says so; null: as its template has it. */
export type OwnValidity = { readonly ownValidFrom: Date | null; readonly ownValidUntil: Date | null }

/** What an issuance has that states no validity of its own. */
export const asTemplate: OwnValidity = { ownValidFrom: null, ownValidUntil: null }

/** Returns the validity that a request states for one credential: dates (their first moment, UTC) or times. */
export function ownValidityOf({ validFrom, validUntil }: OwnMoments): OwnValidity {
  return {
    ownValidFrom: validFrom === undefined ? null : new Date(validFrom),
    ownValidUntil: validUntil === undefined ? null : new Date(validUntil),
  }
}

/** Returns the definition of a template with the moments that an issuance has in place of those of the template. */
export function withOwnValidity<T extends ValidityMoments>(definition: T, own: OwnValidity): T {
  const { ownValidFrom, ownValidUntil } = own
  return {
    ...definition,
    ...(ownValidFrom !== null && { validFrom: ownValidFrom.toISOString() }),
    ...(ownValidUntil !== null && { validUntil: ownValidUntil.toISOString() }),
  }
}

/** Returns the validity of an mdoc issued at that time: whole days, within the certificate of its signer. [MD-3] */
export function mdocValidity(moments: ValidityMoments, certificate: SignerCertificate, issuedAt: Date): ValidityInfo {
  const { nbf, exp } = validityOf(moments, issuedAt)
  return planValidity({ now: issuedAt, validFrom: nbf, validUntil: exp }, certificate)
}

/** Returns the time claims of a credential issued at that time; deterministic. */
export function validityOf({ validFrom, validUntil }: ValidityMoments, issuedAt: Date): Validity {
  const iat = roundedTime(issuedAt)
  return {
    iat,
    nbf: validFrom === undefined ? undefined : timeOfMoment(validFrom, iat),
    exp: validUntil === undefined ? undefined : timeOfMoment(validUntil, iat),
  }
}
