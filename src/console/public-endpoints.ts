import type { Endpoint } from '../http/routes/endpoint.ts'
import { credentialScreens } from './credentials/screens.ts'
import { doors } from './home/doors.ts'
import { homeScreens } from './home/home.ts'
import { journalScreens } from './journal/screens.ts'
import { templateScreens } from './templates/screens.ts'

/** The pages of the console, noun by noun, and the doors to it. */
export const consoleEndpoints: readonly Endpoint[] = [
  doors,
  ...homeScreens,
  ...templateScreens,
  ...credentialScreens,
  ...journalScreens,
]
