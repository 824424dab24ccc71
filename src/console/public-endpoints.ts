import type { Endpoint } from '../http/routes/endpoint.ts'
import { applicationScreens } from './applications/screens.ts'
import { batchScreens } from './batches/screens.ts'
import { certificateScreens } from './certificates/screens.ts'
import { credentialScreens } from './credentials/screens.ts'
import { deskScreens } from './desk/screens.ts'
import { groupScreens } from './groups/screens.ts'
import { doors } from './home/doors.ts'
import { homeScreens } from './home/home.ts'
import { draftScreens } from './issue-many/draft-screen.ts'
import { uploadScreens } from './issue-many/upload-screen.ts'
import { cardScreens } from './issue-start/card-screen.ts'
import { startScreens } from './issue-start/start-screen.ts'
import { whoScreens } from './issue-start/who-screen.ts'
import { journalScreens } from './journal/screens.ts'
import { peopleScreens } from './people/screens.ts'
import { providerScreens } from './providers/screens.ts'
import { provisioningScreens } from './provisioning/screens.ts'
import { requestScreens } from './requests/screens.ts'
import { settingScreens } from './settings/screens.ts'
import { templateScreens } from './templates/screens.ts'
import { trustedScreens } from './trusted/screens.ts'
import { verificationPageScreens } from './verification-pages/screens.ts'
import { webhookScreens } from './webhooks/screens.ts'

/** The pages of the console, noun by noun, and the doors to it. */
export const consoleEndpoints: readonly Endpoint[] = [
  doors,
  ...homeScreens,
  ...templateScreens,
  ...credentialScreens,
  ...startScreens,
  ...uploadScreens,
  ...draftScreens,
  ...cardScreens,
  ...whoScreens,
  ...batchScreens,
  ...deskScreens,
  ...requestScreens,
  ...verificationPageScreens,
  ...peopleScreens,
  ...groupScreens,
  ...providerScreens,
  ...provisioningScreens,
  ...applicationScreens,
  ...certificateScreens,
  ...trustedScreens,
  ...webhookScreens,
  ...settingScreens,
  ...journalScreens,
]
