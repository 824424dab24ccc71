import { setting } from './setting.ts'
import { integer } from './setting-types.ts'

/** How long what is given out is valid. */
export const lifetimeSettings = {
  offerTtlSeconds: setting(
    'OFFER_TTL_SECONDS',
    integer(60, 2_592_000),
    600,
    'Default lifetime of an offer. Anyone who has an offer without a transaction code can redeem it.',
  ),
  nonceTtlSeconds: setting(
    'NONCE_TTL_SECONDS',
    integer(10, 600),
    300,
    'Lifetime of a c_nonce. Below 10 s phones on slow networks fail; above 600 s a stolen proof is valid too long.',
  ),
  presentationTtlSeconds: setting(
    'PRESENTATION_TTL_SECONDS',
    integer(30, 86_400),
    600,
    'Default lifetime of a presentation request.',
  ),
  statusListTtlSeconds: setting(
    'STATUS_LIST_TTL_SECONDS',
    integer(60, 86_400),
    300,
    'How long others may cache a status list, and so how late they may see a revocation. Verifiers of this server see it at once.',
  ),
} as const
