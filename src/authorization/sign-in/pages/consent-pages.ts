import type { Endpoint } from '../../../http/routes/endpoint.ts'
import { type PageAnswer, type PageContext, pageEndpoint } from '../../../pages/page-endpoint.ts'
import type { Platform } from '../../../platform.ts'
import { consentScreen } from '../screens/consent.ts'
import { continueTo, DENIED, posted, sessionOf } from './request.ts'

/** An authorization request that waits for the consent of a person. */
type PendingConsent = {
  readonly clientName: string
  /** Where the browser goes afterwards; null for an app. */
  readonly host: string | null
  /** Address of the terms of service of the client. */
  readonly terms: string | null
  readonly username: string
  readonly organisation: string
  readonly scopes: readonly string[]
  /** Records the consent of the person to these scopes. */
  readonly grant: () => Promise<void>
}

/**
 * Returns what an authorization request asks of the person who is signed in; null if it is not valid, or nothing is to
 * be asked.
 *
 * @param path Path and query of the authorization endpoint.
 */
export type FindPendingConsent = (
  platform: Platform,
  path: string,
  cookieHeader: string | undefined,
) => Promise<PendingConsent | null>

/**
 * Declares the page on which a person allows or denies an application what it asks for.
 *
 * @param find The authorization server knows the requests.
 */
export function consentPages(find: FindPendingConsent): readonly Endpoint[] {
  const summary = 'Asks a person whether an application may act for them.'
  const common = { path: '/consent', summary } as const
  return [
    pageEndpoint({ ...common, method: 'GET', handle: (context) => consent(context, find) }),
    pageEndpoint({ ...common, method: 'POST', handle: (context) => consent(context, find) }),
  ]
}

async function consent(context: PageContext, find: FindPendingConsent): Promise<PageAnswer> {
  const path = continueTo(context)
  const members = new URLSearchParams({ continue: path })
  if ((await sessionOf(context)) === null) return { to: `/sign-in?${members}` }
  const pending = !path.startsWith('/auth/') ? null : await find(context.platform, path, context.headers.cookie)
  // Without a request that waits, the authorization endpoint says what is wrong.
  if (pending === null) return path === '/account' ? { to: path } : { leaveFor: path }
  const answer = posted(context, 'answer')
  if (answer === 'deny') return { leaveFor: `${path}&${DENIED}` }
  // What was shown is what is granted: another client or other scopes are shown first.
  const { scopes, clientName, grant, ...about } = pending
  const shown = `${clientName}\n${scopes.join(' ')}`
  if (answer === 'allow' && posted(context, 'shown').replaceAll('\r\n', '\n') === shown) {
    await grant()
    return { leaveFor: path }
  }
  return {
    page: consentScreen(context, { action: `/consent?${members}`, client: clientName, scopes, shown, ...about }),
  }
}
