import { findSession } from '../../authorization/sign-in/session.ts'
import { actorOf } from '../../authorization/sign-in/visit.ts'
import type { Language } from '../../contract/languages.ts'
import { Fault } from '../../fault.ts'
import { html } from '../../pages/html.ts'
import { type PageAnswer, type PageContext, pageEndpoint } from '../../pages/page-endpoint.ts'
import { buttonLink } from '../../pages/parts.ts'
import { findEnding, finishSession } from './finish-session.ts'
import { ISSUANCE_CALLBACK_PATH } from './session.ts'

type Ending = 'completed' | 'deferred' | 'failed' | 'used' | 'unknown'
type Texts = Readonly<Record<Ending, { readonly title: string; readonly body: string }>>

const texts: Readonly<Record<Language, Texts>> = {
  en: {
    completed: { title: 'Credential received', body: 'It is in your wallet. Return there to accept it.' },
    deferred: { title: 'Credential requested', body: 'The issuer sends it later. It will appear in your wallet.' },
    failed: { title: 'No credential received', body: 'Nothing was added to your wallet. Return there to try again.' },
    used: { title: 'Link used or expired', body: 'Return to your wallet to see the result, or to try again.' },
    unknown: {
      title: 'Not your request',
      body: 'Another user, or another wallet, started this request. Nothing was added to your wallet.',
    },
  },
  fr: {
    completed: {
      title: 'Justificatif reçu',
      body: 'Il est dans votre portefeuille. Retournez-y pour l’accepter.',
    },
    deferred: {
      title: 'Justificatif demandé',
      body: 'L’émetteur l’enverra plus tard. Il apparaîtra dans votre portefeuille.',
    },
    failed: {
      title: 'Aucun justificatif reçu',
      body: 'Rien n’a été ajouté à votre portefeuille. Retournez-y pour réessayer.',
    },
    used: {
      title: 'Lien utilisé ou expiré',
      body: 'Retournez à votre portefeuille pour voir le résultat ou réessayer.',
    },
    unknown: {
      title: 'Cette demande n’est pas la vôtre',
      body: 'Un autre utilisateur, ou un autre portefeuille, a commencé cette demande. Rien n’a été ajouté à votre portefeuille.',
    },
  },
}

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
  const { title, body } = texts[language][ending]
  const back = { en: 'Your cards', fr: 'Vos cartes' }[language]
  const main = html`<p>${body}</p><p>${buttonLink(back, '/me')}</p>`
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
