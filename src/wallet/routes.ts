import type { Route } from '../http/routes/route.ts'
import { credentialRoutes } from './credentials/routes.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { historyRoutes } from './history/routes.ts'
import { presentationRoutes } from './presentations/routes.ts'

/** The wallet group. */
export const walletRoutes: readonly Route[] = [
  ...credentialRoutes,
  ...presentationRoutes,
  ...deliveryRoutes,
  ...historyRoutes,
]
