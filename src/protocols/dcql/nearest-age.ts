import type { JsonObject } from '../../crypto/json.ts'

/** The namespace in which ISO/IEC 18013-5 defines age attestations. */
const NAME_SPACE = 'org.iso.18013.5.1'
const AGE_OVER = /^age_over_\d\d$/

/**
 * Returns the age attestation that decides a requested one which the mdoc does not have: the true one with the lowest
 * age above it, else the false one with the highest age below it; null if none decides it, or no age attestation is
 * requested.
 *
 * @param elements Of the namespace.
 * @see ISO/IEC 18013-5:2021, 7.2.5
 */
export function nearestAge(namespace: string, requested: string, elements: JsonObject): string | null {
  if (namespace !== NAME_SPACE || !AGE_OVER.test(requested)) return null
  // With two digits each, their order is that of their ages.
  const attested = Object.keys(elements).filter((name) => AGE_OVER.test(name))
  attested.sort()
  const above = attested.find((name) => name > requested && elements[name] === true)
  const below = attested.findLast((name) => name < requested && elements[name] === false)
  return above ?? below ?? null
}
