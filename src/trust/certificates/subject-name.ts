import { isCountryCode } from '../../crypto/x509/country-codes.ts'
import { COMMON_NAME_CHARS_MAX, type SubjectName } from '../../crypto/x509/name.ts'
import { Fault, type Violation } from '../../fault.ts'

/** What names the subject of a certificate in a body of our API. */
type NameAsk = { readonly countryName: string; readonly commonName?: string }

/** A common name made from a tenant's name and what the certificate is; the name is cut so that both fit. */
export function fittingName(tenantName: string, role: string): string {
  const plain = [...tenantName.replace(/\p{C}/gu, ' ').trim()]
  return `${plain.slice(0, COMMON_NAME_CHARS_MAX - role.length - 1).join('')} ${role}`
}

/**
 * The subject that a body asks for. A country code in lower case is meant like one in upper case.
 *
 * @param preset The common name when there is none.
 * @throws Fault `request.invalid`
 */
export function readSubjectName({ countryName, commonName }: NameAsk, preset: string): SubjectName {
  const country = countryName.toUpperCase()
  const violations: Violation[] = []
  if (!isCountryCode(country)) {
    const detail = `${JSON.stringify(countryName)} is not a country code that ISO 3166-1 alpha-2 assigns.`
    violations.push({ detail, pointer: '/countryName' })
  }
  const name = commonName?.trim() ?? preset
  if (name === '' || /\p{Cc}/u.test(name)) {
    violations.push({
      detail: 'The common name must have a visible character and no control characters.',
      pointer: '/commonName',
    })
  }
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  return { country, commonName: name }
}
