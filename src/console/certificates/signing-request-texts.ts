import { byLanguage, catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/signing-requests.json' with { type: 'json' }
import { type CertificateTexts, certificateTexts } from './texts.ts'

/** What is said of certificates and of requests for them in the same words. */
function inCommon(t: CertificateTexts) {
  const { state, types, keyType, keyTypes, countryName, countryNameHint, commonName, commonNameHint, identifier } = t
  return { state, types, keyType, keyTypes, countryName, countryNameHint, commonName, commonNameHint, identifier }
}

const own = catalogue('console/signing-requests', en)

/** Texts of the screens of signing requests by language. */
export const signingRequestTexts = byLanguage((language) => ({
  ...inCommon(certificateTexts[language]),
  ...own[language],
}))

/** Texts of the screens of signing requests. */
export type SigningRequestTexts = TextsIn<typeof signingRequestTexts>
