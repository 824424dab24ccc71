import { signIn } from '../../../bench/page-world.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import type { Role } from '../../caller.ts'

/** A deployment, and a person of the tenant acme who reads its console without a browser. */
export type ConsoleReader = {
  readonly chirograph: Deployment
  readonly acme: Api
  readonly cookie: string
  /** Returns the HTML of a page. @param path Below `/console` */
  readonly read: (path: string, language?: string) => Promise<string>
}

/** Signs a person with these roles in to the console of a new deployment. @param more As `deploy` takes them */
export async function openConsole(
  roles: readonly Role[],
  more: {
    readonly settings?: Parameters<typeof deploy>[2]
    readonly serversMax?: number
    readonly instead?: Parameters<typeof deploy>[0]
    readonly env?: Parameters<typeof deploy>[1]
  } = {},
): Promise<ConsoleReader> {
  const chirograph = await deploy(more.instead, more.env, more.settings, more.serversMax)
  const acme = await chirograph.backend('acme')
  const { cookie } = await signIn(chirograph.url, acme, 'naledi', roles, '/console')
  const read = async (path: string, language = 'en') => {
    const headers = { cookie, 'accept-language': language }
    return (await fetch(`${chirograph.url}/console${path}`, { headers })).text()
  }
  return { chirograph, acme, cookie, read }
}
