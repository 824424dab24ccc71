import { findSession } from '../../authorization/sign-in/session.ts'
import { actorOf } from '../../authorization/sign-in/visit.ts'
import { Fault } from '../../fault.ts'
import { html } from '../../pages/html.ts'
import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/wallet-callback.json' with { type: 'json' }
import { type PageAnswer, type PageContext, pageEndpoint } from '../../pages/page-endpoint.ts'
import { buttonLink } from '../../pages/parts.ts'
import { findEnding, finishSession } from './finish-session.ts'
import { ISSUANCE_CALLBACK_PATH } from './session.ts'

type Ending = 'completed' | 'deferred' | 'failed' | 'used' | 'unknown'
const texts = catalogue('wallet-callback', en)

const statusOf: Readonly<Record<Ending, number>> = {
  completed: 200,
  deferred: 200,
  failed: 400,
  used: 409,
  unknown: 404,
}

async function callback(context: PageContext): Promise<PageAnswer> {
  const { platform, headers, here, ip, requestId, language } = context
  // Only the user who began the session may end it: the address may have been opened in the browser of another user.
  const session = await findSession(platform, headers.cookie)
  if (session === null) return { to: `/sign-in?${new URLSearchParams({ continue: here })}` }
  const by = actorOf(session.userId, { ip, requestId, userAgent: '' })
  const query = new URL(here, platform.urls.publicUrl).searchParams
  const visitor = { ...session, by }
  const now = await finishSession(platform, visitor, query).then(({ kind }) => kind, endingOf)
  const ending = now === 'used' ? ((await findEnding(platform, visitor, query)) ?? now) : now
  const t = texts[language]
  const [title, body] = t[ending]
  const main = html`<p>${body}</p><p>${buttonLink(t.back, '/me')}</p>`
  return { status: statusOf[ending], page: { title, main } }
}

function endingOf(error: unknown): Ending {
  if (error instanceof Fault && error.code === 'resource.unknown') return 'unknown'
  if (error instanceof Fault && error.code === 'state.invalid') return 'used'
  throw error
}

const callbackPage = pageEndpoint({
  method: 'GET',
  path: ISSUANCE_CALLBACK_PATH,
  summary: 'Takes the response of an authorization server, and receives the credentials of the session.',
  handle: callback,
})

/** The redirect URI of the wallets of this deployment. */
export const issuanceSessionPages = [callbackPage]
