import { consoleEndpoints } from '../public-endpoints.ts'
import type { SignedIn } from './console-walk.ts'

/** A form that must not be carried out, and what the server answers. */
export type Refusal = {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly cookie: string
  readonly token: string
  readonly status: number
  /** Where the browser is led. */
  readonly to?: RegExp
}

/** Every address of the console that takes a form, with ids of nothing. */
export const formPaths: readonly string[] = pathsOf('POST')
/** Every page of the console; the first page is for everybody. */
export const shownPaths: readonly string[] = pathsOf('GET').filter((path) => path !== '/')

function pathsOf(wanted: 'GET' | 'POST'): readonly string[] {
  const found = consoleEndpoints.filter(({ method }) => method === wanted)
  return found.map(({ path }) => path.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000'))
}

/** Returns the Cookie header of a signed-in browser. */
export function cookieOf({ cookies }: SignedIn): string {
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

const own = { 'sec-fetch-site': 'same-origin' }

/** Returns the table of refusals. `token` fits a form of `cookie`; `other` is another person's browser. */
export function refusals(at: { cookie: string; other: string; ended: string; token: string }): readonly Refusal[] {
  const { cookie, other, ended, token } = at
  const toSignIn = /^\/session\/start\?to=/
  const again = /[?&]kept=1/
  return [
    { name: 'from another website', headers: { 'sec-fetch-site': 'cross-site' }, cookie, token, status: 403 },
    { name: 'from another host of the site', headers: { 'sec-fetch-site': 'same-site' }, cookie, token, status: 403 },
    { name: 'from another origin', headers: { origin: 'https://evil.example' }, cookie, token, status: 403 },
    { name: 'from nowhere', headers: {}, cookie, token, status: 403 },
    { name: 'without a token', headers: own, cookie, token: '', status: 303, to: again },
    { name: 'with the token of another form', headers: own, cookie, token, status: 303, to: again },
    { name: 'stolen from another session', headers: own, cookie: other, token, status: 303, to: again },
    { name: 'without a session', headers: own, cookie: '', token, status: 303, to: toSignIn },
    { name: 'of a session that ended', headers: own, cookie: ended, token, status: 303, to: toSignIn },
  ]
}
