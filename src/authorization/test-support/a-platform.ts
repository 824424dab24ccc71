import { openTestDatabase } from '../../../test/support/database.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { platformOn } from '../../../test/support/platform.ts'
import { readConfig } from '../../config.ts'
import { directoryRoutes } from '../../directory/users/routes.ts'
import { buildServer } from '../../http/server/server.ts'
import type { Platform } from '../../platform.ts'
import type { Store } from '../../store/store.ts'
import { authenticate } from '../access/authenticate.ts'
import { authorizationEndpoints } from '../server/platform/public-endpoints.ts'
import { signInEndpoints } from '../sign-in/pages/public-endpoints.ts'

/** A clock that a test moves forward. */
export type MovedClock = { readonly now: () => Date; shiftSeconds: number }

/** A platform on a real store with real keys, and a clock that can be moved. */
export function aPlatform(store: Store, port = 8080): Platform & { readonly clock: MovedClock } {
  const clock: MovedClock = { now: () => new Date(Date.now() + clock.shiftSeconds * 1000), shiftSeconds: 0 }
  const config = readConfig({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` })
  return { ...platformOn({ store, config, clock }), clock }
}

/** A listening server with the token endpoint and one group behind it, on a database of its own. */
export async function aListeningServer() {
  const { store, close } = await openTestDatabase()
  const platform = aPlatform(store, await freePort())
  const server = buildServer({
    platform,
    routes: directoryRoutes,
    endpoints: [...authorizationEndpoints, ...signInEndpoints],
    authenticate: authenticate(platform),
  })
  await server.listen()
  return {
    platform,
    close: async () => {
      await server.close()
      await close()
    },
  }
}
