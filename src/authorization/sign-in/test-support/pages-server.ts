import { openTestDatabase } from '../../../../test/support/database.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { platformOn } from '../../../../test/support/platform.ts'
import { readConfig } from '../../../config.ts'
import { Fault } from '../../../fault.ts'
import type { Endpoint } from '../../../http/routes/endpoint.ts'
import { buildServer } from '../../../http/server/server.ts'
import { assetEndpoints } from '../../../pages/public-endpoints.ts'
import type { Log, OutboundFetch, Platform } from '../../../platform.ts'
import { makeLink, storeLink } from '../links/one-time-link.ts'
import { signInEndpoints } from '../pages/public-endpoints.ts'
import type { UserRef } from '../visit.ts'
import type { MovedClock } from './person.ts'

/** A listening server with the pages of the sign-in. */
export type PagesServer = {
  readonly origin: string
  readonly platform: Platform
  readonly clock: MovedClock
  readonly close: () => Promise<void>
}

type Parts = { readonly fetch?: OutboundFetch; readonly log?: Log; readonly endpoints?: readonly Endpoint[] }

/** Starts a server at localhost, which browsers take for a secure origin with a domain, as passkeys need it. */
export async function aPagesServer(
  env: Record<string, string> = {},
  { endpoints = [], ...parts }: Parts = {},
): Promise<PagesServer> {
  const database = await openTestDatabase()
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const clock: MovedClock = { now: () => new Date(Date.now() + clock.shiftSeconds * 1000), shiftSeconds: 0 }
  const config = readConfig({ PORT: String(port), PUBLIC_URL: origin, ...env })
  const platform = platformOn({ store: database.store, config, clock, ...parts })
  const server = buildServer({
    platform,
    routes: [],
    endpoints: [...signInEndpoints, ...assetEndpoints, ...endpoints],
    authenticate: () => Promise.reject(new Fault('token.missing')),
  })
  await server.listen()
  const close = async () => {
    await server.close(100)
    await database.close()
  }
  return { origin, platform, clock, close }
}

/** Stores a one-time link for a person. @returns its path and query */
export async function aLink(platform: Platform, user: UserRef, purpose: 'welcome' | 'reset'): Promise<string> {
  const { link, told } = makeLink(platform, user, purpose)
  await platform.store.inTenant(user.tenantId, (tx) => {
    const way = ({ welcome: 'mailed_link', reset: 'reset_link', owner: 'operator_link' } as const)[purpose]
    return storeLink(tx, link, { way, by: 'system', makerRoles: null }, platform.clock.now())
  })
  const { pathname, search } = new URL(told.url)
  return pathname + search
}
