import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/certificates.json' with { type: 'json' }

/** Texts of the screens of certificates by language. */
export const certificateTexts = catalogue('console/certificates', en, { openRequests: ['count'] })

/** Texts of the screens of certificates. */
export type CertificateTexts = TextsIn<typeof certificateTexts>
