import type { Endpoint } from '../http/routes/endpoint.ts'
import { appEndpoints } from './app/installable.ts'
import { newWallet } from './app/new-wallet.ts'
import { publicOffer } from './app/public-offer.ts'
import { publicRequest } from './app/public-request.ts'
import { askedScreens } from './asked/screens.ts'
import { cardScreens } from './cards/screens.ts'
import { linkScreens } from './links/links-screen.ts'
import { shareScreen } from './links/share-screen.ts'
import { offerScreens } from './offers/screens.ts'
import { ownScreens } from './own/screens.ts'

/** The pages of a person's wallet that need a session. */
export const holderScreens: readonly Endpoint[] = [
  ...cardScreens,
  ...linkScreens,
  ...shareScreen,
  ...offerScreens,
  ...askedScreens,
  ...ownScreens,
]

/** All pages of the holder. */
export const holderEndpoints: readonly Endpoint[] = [
  ...holderScreens,
  publicOffer,
  newWallet,
  publicRequest,
  ...appEndpoints,
]
