import type { Cbor } from '../cbor/value.ts'

/** The fields of the signer's certificate that the credential must match. */
export type SignerCertificate = {
  readonly notBefore: Date
  readonly notAfter: Date
  readonly countryName: string | null
  readonly stateOrProvinceName: string | null
}

/**
 * [MD-9] Compares country and jurisdiction of the mDL namespace with the signer's certificate. Absent elements match.
 */
export function findMismatches(elements: ReadonlyMap<string, Cbor>, certificate: SignerCertificate) {
  const country = elements.get('issuing_country')
  const jurisdiction = elements.get('issuing_jurisdiction')
  const { countryName, stateOrProvinceName } = certificate
  return {
    country: country !== undefined && country !== countryName,
    jurisdiction: jurisdiction !== undefined && stateOrProvinceName !== null && jurisdiction !== stateOrProvinceName,
  }
}
