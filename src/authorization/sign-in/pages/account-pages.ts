import type { PathParams } from '../../../contract/api-operation.ts'
import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { findRoles } from '../../../directory/users/find-roles.ts'
import type { ShownNames, SignInUser } from '../../../directory/users/sign-in-user.ts'
import { confirmNames, findSignInUser } from '../../../directory/users/sign-in-users.ts'
import { type Impersonation, recentImpersonations } from '../../../events/audit/recent-impersonations.ts'
import type { Endpoint } from '../../../http/routes/endpoint.ts'
import { duration } from '../../../pages/moment.ts'
import { type PageAnswer, type PageContext, pageEndpoint } from '../../../pages/page-endpoint.ts'
import type { Platform } from '../../../platform.ts'
import { providerActorId } from '../../access/identity-provider.ts'
import { listProviders } from '../../access/identity-provider-store.ts'
import { clearCookie } from '../cookies.ts'
import { listPasskeys, removePasskey, renamePasskey } from '../passkeys/passkeys.ts'
import { addPasskey, beginPasskey } from '../passkeys/register-passkey.ts'
import { changePassword } from '../passwords/change-password.ts'
import { listConnectable } from '../providers/sign-in-by-provider.ts'
import { accountScreen, changePasswordScreen, type Done, renameScreen } from '../screens/account.ts'
import { textsOf } from '../screens/frame.ts'
import type { PasswordProblem } from '../screens/new-password.ts'
import { endSession, endSessions, isFresh, listSessions, type Session } from '../session.ts'
import { actorOf } from '../visit.ts'
import { AGAIN, posted, postedPasskey, sessionOf, visitOf } from './request.ts'

const TO_SIGN_IN: PageAnswer = { to: '/sign-in?continue=%2Faccount' }

/** Declares a page for a signed-in person; others are led to the sign-in. */
function ownPage<const P extends string>(
  method: 'GET' | 'POST',
  path: P,
  summary: string,
  handle: (context: PageContext<PathParams<P>>, session: Session) => Promise<PageAnswer>,
): Endpoint {
  return pageEndpoint({
    method,
    path,
    summary,
    handle: async (context) => {
      const session = await sessionOf(context)
      return session === null ? TO_SIGN_IN : handle(context, session)
    },
  })
}

/** The person and the organisation of a session; null if the person was disabled in the meantime. */
async function personOf({ platform }: PageContext, { tenantId, userId }: Session) {
  const [tenant, found] = await Promise.all([
    findTenantOf(platform, tenantId),
    platform.store.inTenant(tenantId, async (tx) => {
      return { user: await findSignInUser(tx, userId), roles: await findRoles(tx, userId) }
    }),
  ])
  const { user, roles } = found
  return tenant === null || user === null ? null : { user, roles: roles ?? [], organisation: tenant.name }
}

async function accountPage(context: PageContext, session: Session, problem?: string): Promise<PageAnswer> {
  const { platform, query } = context
  const person = await personOf(context, session)
  if (person === null) return TO_SIGN_IN
  const { user, roles, organisation } = person
  const name = [user.firstName, user.lastName].filter((one) => one !== null).join(' ')
  const page = accountScreen(context, {
    now: platform.clock.now(),
    name: name === '' ? null : name,
    username: user.username,
    email: user.email,
    organisation,
    roles,
    newNames: newNamesOf(user),
    providers: await listConnectable(platform, session),
    impersonations: await namedImpersonations(platform, session),
    passkeys: await listPasskeys(platform, session),
    addition: await beginPasskey(platform, session),
    againHref: AGAIN,
    sessions: await listSessions(platform, session),
    done: problem === undefined ? doneNamed(context, query.done) : undefined,
    problem,
  })
  return { page, status: problem === undefined ? 200 : 400 }
}

/** Lists the callers that came to act for the person, providers by their display names. */
async function namedImpersonations(platform: Platform, session: Session): Promise<readonly Impersonation[]> {
  const found = await recentImpersonations(platform, session)
  if (found.length === 0) return found
  const providers = await platform.store.single(session.tenantId, listProviders)
  const names = new Map(providers.map((one) => [providerActorId(one), one.displayName]))
  return found.map((one) => ({ ...one, actorId: names.get(one.actorId ?? '') ?? one.actorId }))
}

function doneNamed(context: PageContext, name = ''): Done | undefined {
  const { done } = textsOf(context).account
  const isOurs = (text: string): text is Done => Object.hasOwn(done, text)
  return isOurs(name) ? name : undefined
}

function done(name: Done): PageAnswer {
  return { to: `/account?done=${name}` }
}

const showAccount = ownPage('GET', '/account', 'Shows a signed-in person their account.', (context, session) =>
  accountPage(context, session),
)

function newNamesOf(user: SignInUser): ShownNames | null {
  const { email, username, externalIdentifier } = user
  if (!user.emailIsNew && !user.usernameIsNew && !user.externalIdentifierIsNew) return null
  return { email, username, externalIdentifier }
}

const namesConfirmed = ownPage(
  'POST',
  '/account/names',
  'Confirms a changed username, e-mail address or external identifier.',
  async (context, session) => {
    const { store, clock } = context.platform
    const { tenantId, userId } = session
    if (!isFresh(context.platform, session)) return { to: AGAIN }
    const by = actorOf(userId, visitOf(context))
    const shown = {
      username: posted(context, 'username'),
      email: posted(context, 'email') || null,
      externalIdentifier: posted(context, 'externalIdentifier') || null,
    }
    await store.inTenant(tenantId, (tx) => confirmNames(tx, userId, shown, by, clock.now()))
    return done('names_confirmed')
  },
)

const passkeyAdded = ownPage('POST', '/account/passkeys', 'Adds a passkey.', async (context, session) => {
  const created = { ...postedPasskey(context), name: posted(context, 'name') }
  const isAdded = await addPasskey(context.platform, session, created, visitOf(context))
  return isAdded ? done('passkey_added') : accountPage(context, session, textsOf(context).passkeyAddFailed)
})

async function renamePage(
  context: PageContext<{ id: string }>,
  session: Session,
  isMissing: boolean,
): Promise<PageAnswer> {
  const { id } = context.params
  const passkey = (await listPasskeys(context.platform, session)).find((one) => one.id === id)
  const person = await personOf(context, session)
  if (passkey === undefined || person === null) return { to: '/account' }
  const props = { id, name: isMissing ? '' : passkey.name, isMissing, organisation: person.organisation }
  return { page: renameScreen(context, props), status: isMissing ? 400 : 200 }
}

const showRename = ownPage(
  'GET',
  '/account/passkeys/{id}/rename',
  'Asks for the new name of a passkey.',
  (context, session) => renamePage(context, session, false),
)

const passkeyRenamed = ownPage(
  'POST',
  '/account/passkeys/{id}/rename',
  'Renames a passkey.',
  async (context, session) => {
    const name = posted(context, 'name').trim()
    if (name === '') return renamePage(context, session, true)
    const isRenamed = await renamePasskey(context.platform, session, { id: context.params.id, name })
    return isRenamed ? done('passkey_renamed') : { to: '/account' }
  },
)

const passkeyRemoved = ownPage(
  'POST',
  '/account/passkeys/{id}/remove',
  'Removes a passkey.',
  async (context, session) => {
    const isRemoved = await removePasskey(context.platform, session, context.params.id, visitOf(context))
    return isRemoved ? done('passkey_removed') : { to: '/account' }
  },
)

type Wrong = { readonly password?: PasswordProblem; readonly isCurrentWrong?: boolean; readonly problem?: string }

async function passwordPage(context: PageContext, session: Session, wrong?: Wrong, status = 400): Promise<PageAnswer> {
  const person = await personOf(context, session)
  if (person === null) return TO_SIGN_IN
  const page = changePasswordScreen(context, {
    username: person.user.username,
    organisation: person.organisation,
    hasPassword: person.user.passwordHash !== null,
    password: wrong?.password ?? null,
    isCurrentWrong: wrong?.isCurrentWrong ?? false,
    problem: wrong?.problem,
  })
  return { page, status: wrong === undefined ? 200 : status }
}

const showPassword = ownPage('GET', '/account/password', 'Asks for a new password.', (context, session) =>
  passwordPage(context, session),
)

const passwordChanged = ownPage('POST', '/account/password', 'Changes the password.', async (context, session) => {
  const [current, password] = [posted(context, 'current'), posted(context, 'password')]
  if (password !== posted(context, 'repeated')) return passwordPage(context, session, { password: 'repeat' })
  const outcome = await changePassword(context.platform, session, { current, password }, visitOf(context))
  switch (outcome.kind) {
    case 'changed':
      return done('password_changed')
    case 'stale':
      return { to: AGAIN }
    case 'weak':
      return passwordPage(context, session, { password: outcome.finding })
    case 'refused':
      return passwordPage(context, session, { isCurrentWrong: true })
    case 'locked': {
      const wait = duration(outcome.retryAfterSeconds, context.language)
      return passwordPage(context, session, { problem: textsOf(context).wrong.locked(wait) }, 429)
    }
  }
})

const sessionEnded = ownPage(
  'POST',
  '/account/sessions/{id}/end',
  'Ends another session of the person.',
  async (context, session) => {
    const ended = { ...session, sessionId: context.params.id }
    await endSession(context.platform, ended, actorOf(session.userId, visitOf(context)))
    return done('session_ended')
  },
)

const everySessionEnded = ownPage(
  'POST',
  '/account/sign-out-everywhere',
  'Ends every session of the person.',
  async (context, { tenantId, userId }) => {
    const { store, clock } = context.platform
    const by = actorOf(userId, visitOf(context))
    await store.inTenant(tenantId, (tx) => endSessions(tx, userId, by, clock.now()))
    return { to: '/sign-out', cookies: [clearCookie(context.platform, 'session')], endsVisit: true }
  },
)

/** What a signed-in person does with their own account. */
export const accountPages: readonly Endpoint[] = [
  showAccount,
  namesConfirmed,
  passkeyAdded,
  showRename,
  passkeyRenamed,
  passkeyRemoved,
  showPassword,
  passwordChanged,
  sessionEnded,
  everySessionEnded,
]
