import { isCountryCode } from '../../crypto/x509/country-codes.ts'
import { COMMON_NAME_CHARS_MAX, type SubjectName } from '../../crypto/x509/name.ts'
import { Fault, type Violation } from '../../fault.ts'

/** The members of a body that name the subject of a certificate. */
type NamedSubject = { readonly countryName: string; readonly commonName?: string | undefined }

/** Returns a common name of a tenant's name and the role of the certificate; the name is truncated so that both fit. */
export function fittingName(tenantName: string, role: string): string {
  const plain = [...tenantName.replace(/\p{C}/gu, ' ').trim()]
  return `${plain.slice(0, COMMON_NAME_CHARS_MAX - role.length - 1).join('')} ${role}`
}

/**
 * Returns the subject that a body names. Country codes are case-insensitive.
 *
 * @param defaultName The common name if the body has none.
 * @throws Fault `request.invalid`
 */
export function readSubjectName(
  { countryName, commonName }: NamedSubject,
  defaultName: string,
): SubjectName & { readonly country: string } {
  const name = commonName?.trim() ?? defaultName
  const violations = subjectViolations({ countryName, commonName: name })
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  return { country: countryName.toUpperCase(), commonName: name }
}

/** Returns the violations of the members that name a subject. */
export function subjectViolations({ countryName, commonName }: Partial<NamedSubject>): readonly Violation[] {
  const violations: Violation[] = []
  if (countryName !== undefined && !isCountryCode(countryName.toUpperCase())) {
    const detail = `${JSON.stringify(countryName)} is not a country code assigned by ISO 3166-1 alpha-2.`
    violations.push({ detail, pointer: '/countryName' })
  }
  const name = commonName?.trim()
  if (name !== undefined && (name === '' || /\p{Cc}/u.test(name))) {
    violations.push({
      detail: 'The common name must have a visible character and no control characters.',
      pointer: '/commonName',
    })
  }
  return violations
}
