import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/trusted.json' with { type: 'json' }

/** Texts of the screens of trusted entities by language. */
export const trustedTexts = catalogue('console/trusted', en, {
  counts: { issuers: ['count'], dids: ['count'], certificates: ['count'] },
  pem: { stray: ['line'], unended: ['line'], otherKind: ['line'], at: ['first', 'last', 'why'] },
})
