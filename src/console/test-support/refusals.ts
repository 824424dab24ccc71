import { consoleEndpoints } from '../public-endpoints.ts'
import type { SignedIn } from './console-walk.ts'

/** An id that names nothing. */
export const NOTHING = '01890000-0000-7000-8000-000000000000'

/** Every page of the console, with ids of nothing; the first page is for everybody. */
export const shownPaths: readonly string[] = consoleEndpoints
  .filter(({ method, path }) => method === 'GET' && path !== '/')
  .map(({ path }) => path.replaceAll(/\{\w+\}/g, NOTHING))

/** Returns the Cookie header of a signed-in browser. */
export function cookieOf({ cookies }: SignedIn): string {
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}
