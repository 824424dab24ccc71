import { randomBytes } from 'node:crypto'
import { freePort } from '../../../test/support/round-robin.ts'
import { openChanges } from '../../api/changes.ts'
import { readConfig } from '../../config.ts'
import { directoryRoutes } from '../../directory/users/routes.ts'
import { buildServer } from '../../http/server/server.ts'
import { softwareKeyRing } from '../../keys/key-ring.ts'
import { sealingWith } from '../../keys/sealing.ts'
import { Memory } from '../../memory/memory.ts'
import { RateLimiter } from '../../memory/rate-limiter.ts'
import { type Platform, urlsOf } from '../../platform.ts'
import type { Store } from '../../store/store.ts'
import { authenticate } from '../access/authenticate.ts'
import { authorizationEndpoints } from '../server/public-endpoints.ts'

/** A clock that a test moves forward. */
export type MovedClock = { readonly now: () => Date; shiftSeconds: number }

/** A platform on a real store with real keys, and a clock that can be moved. */
export function aPlatform(store: Store, port = 8080): Platform & { readonly clock: MovedClock } {
  const clock: MovedClock = { now: () => new Date(Date.now() + clock.shiftSeconds * 1000), shiftSeconds: 0 }
  const config = { ...readConfig({ PORT: String(port) }), publicUrl: `http://127.0.0.1:${port}` }
  const sealing = sealingWith(randomBytes(32), store, clock.now)
  const keys = softwareKeyRing(store, sealing, clock.now)
  const silent = () => undefined
  const log = { debug: silent, info: silent, warn: silent, error: console.error }
  const fetch = () => Promise.reject(new Error('no way out in this test'))
  const remembered = { rateLimiter: new RateLimiter(), memory: new Memory(), changes: openChanges(store, clock.now) }
  return { config, store, sealing, keys, ...remembered, clock, fetch, log, urls: urlsOf(config) }
}

/** A listening server with the token endpoint and one group behind it. */
export async function aListeningServer(store: Store) {
  const platform = aPlatform(store, await freePort())
  const server = buildServer({
    platform,
    routes: directoryRoutes,
    endpoints: authorizationEndpoints,
    authenticate: authenticate(platform),
  })
  await server.listen()
  return { platform, server }
}
