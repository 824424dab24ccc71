import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/home.json' with { type: 'json' }

/** Texts of the first pages by language. */
export const homeTexts = catalogue('console/home', en, {
  hello: ['name'],
  endSoon: ['count', 'n'],
  suspended: ['count'],
  things: ['count', 'n'],
  needs: {
    deferredIssuances: { text: ['count', 'n'] },
    endingCredentials: { text: ['count', 'n'] },
    failedBatches: { text: ['count', 'n'] },
    endingCertificates: { text: ['count', 'n'] },
    disabledEndpoints: { text: ['count', 'n'] },
    failedDeliveries: { text: ['count', 'n'] },
    failedOfferMails: { text: ['count', 'n'] },
    unverifiableStatusLists: { text: ['count', 'n'] },
    endingSecrets: { text: ['count', 'n'] },
  },
})

/** Texts of the first pages. */
export type HomeTexts = TextsIn<typeof homeTexts>
