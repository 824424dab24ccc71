import type { Route } from '../http/route.ts'
import { credentialRoutes } from './credential-routes.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { presentationRoutes } from './presentation-routes.ts'

/** The wallet group. */
export const walletRoutes: readonly Route[] = [
  ...credentialRoutes,
  ...presentationRoutes,
  ...deliveryRoutes,
  ...historyRoutes,
]
