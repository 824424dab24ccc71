import { platformOn, withoutDatabase } from '../../../test/support/platform.ts'
import type { Caller, Scope, TenantId } from '../../caller.ts'
import { type Config, readConfig } from '../../config.ts'
import { Fault } from '../../fault.ts'
import type { Log, Platform } from '../../platform.ts'
import { buildServer, type Server, type ServerParts } from '../server/server.ts'

/** What a server wrote to its log: level, fields, message. */
export type Lines = [level: string, fields: Record<string, unknown>, message: string][]

const grants: Readonly<Record<string, readonly Scope[]>> = { writer: ['issuance:write'], admin: ['tenant:admin'] }

/** A caller whose token is its name. */
export function aCaller(name: string): Caller {
  const scopes = grants[name]
  if (scopes === undefined) throw new Fault('token.invalid')
  return {
    tenantId: '00000000-0000-7000-8000-00000000000a' as TenantId,
    tenantSlug: 'acme',
    actor: { kind: 'client', id: name },
    userId: null,
    clientId: name,
    actingClientId: null,
    scopes: new Set(scopes),
    requestId: 'request',
    ip: '127.0.0.1',
  }
}

/** A platform without a database. */
export function aPlatform({ config, lines }: { config?: Config; lines?: Lines } = {}): Platform {
  const write = (level: string) => (fields: object, message: string) => {
    lines?.push([level, { ...fields }, message])
  }
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  return platformOn({ store: withoutDatabase, config: config ?? { ...readConfig({}), port: 0 }, log })
}

/** A server on a free port, with two callers: `writer` holds `issuance:write`, `admin` holds `tenant:admin`. */
export function aServer(parts: Partial<ServerParts> & { lines?: Lines }): Server {
  const { lines, ...given } = parts
  return buildServer({
    platform: aPlatform(lines === undefined ? {} : { lines }),
    routes: [],
    endpoints: [],
    authenticate: async ({ headers: { authorization } }) => {
      if (authorization === undefined) throw new Fault('token.missing')
      return aCaller(authorization.replace('Bearer ', ''))
    },
    ...given,
  })
}
