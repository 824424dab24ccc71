import type { Cbor } from '../cbor/value.ts'

/** What the certificate of a signer says that the credential must agree with. */
export type SignerCertificate = {
  readonly notBefore: Date
  readonly notAfter: Date
  readonly countryName: string | null
  readonly stateOrProvinceName: string | null
}

/** [MD-9] Where elements of the mDL namespace and the certificate of the signer say different things. What one of them leaves out agrees. */
export function disagreements(elements: ReadonlyMap<string, Cbor>, certificate: SignerCertificate) {
  const country = elements.get('issuing_country')
  const jurisdiction = elements.get('issuing_jurisdiction')
  const { countryName, stateOrProvinceName } = certificate
  return {
    country: country !== undefined && country !== countryName,
    jurisdiction: jurisdiction !== undefined && stateOrProvinceName !== null && jurisdiction !== stateOrProvinceName,
  }
}
