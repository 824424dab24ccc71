import type { Page } from '../../../pages/document.ts'
import { type AccountProps, accountScreen, changePasswordScreen, renameScreen } from '../screens/account.ts'
import { consentScreen } from '../screens/consent.ts'
import type { ScreenFrame } from '../screens/frame.ts'
import { newPasswordScreen, resetScreen, resetSentScreen, welcomeScreen } from '../screens/links.ts'
import { type SignInProps, signInScreen } from '../screens/sign-in.ts'
import { chooseScreen, problemScreen, signedOutScreen, signOutScreen } from '../screens/states.ts'

const organisation = 'Acme College'
/** A name without a place to break it, as long as a name may be. */
const longName = `Gymnasium-${'Donaudampfschifffahrts'.repeat(3)}`
const username = 'thandi'
const offer = { options: { challenge: 'AAAA' }, state: 'sealed' }
const passkey = { action: '/sign-in/passkey', offer }
const signIn: SignInProps = {
  action: '/sign-in?continue=%2Faccount',
  resetHref: '/reset',
  passkey,
  providers: [],
  organisation,
  declineHref: null,
  otherHref: null,
  kept: [['continue', '/account']],
}
const reset = { action: '/reset', signInHref: '/sign-in' }
const now = new Date('2026-11-22T12:00:00Z')
const account: AccountProps = {
  now,
  name: 'Thandi Molefe',
  username,
  email: 'thandi@example.org',
  organisation,
  roles: ['issuer', 'owner'],
  passkeys: [],
  addition: offer,
  againHref: '/sign-in?again=1',
  sessions: [
    {
      sessionId: '1',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
      network: '198.51.100.0/24',
      lastSeenAt: now,
      isCurrent: true,
    },
    {
      sessionId: '2',
      userAgent: 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/156.0 Mobile Safari/537.36',
      network: '2001:db8:85a3::/64',
      lastSeenAt: new Date('2026-11-19T10:00:00Z'),
      isCurrent: false,
    },
  ],
}
const passkeys = [
  {
    id: 'a',
    name: 'My phone',
    isSynced: true,
    createdAt: new Date('2026-01-02'),
    lastUsedAt: new Date('2026-11-22T11:58:00Z'),
  },
  { id: 'b', name: longName.slice(0, 60), isSynced: true, createdAt: new Date('2025-01-02'), lastUsedAt: null },
]
const consent = {
  action: '/consent',
  username,
  organisation,
  client: 'Campus Library',
  host: 'library.example.org',
  terms: 'https://library.example.org/terms',
  shown: 'Campus Library',
  scopes: ['openid', 'profile', 'email', 'wallet:read', 'offline_access'],
}

/** Every screen of the sign-in in each of its states. */
export const gallery: Readonly<Record<string, (frame: ScreenFrame) => Page>> = {
  'sign-in': (frame) => signInScreen(frame, { ...signIn, organisation: null }),
  'sign-in-providers': (frame) =>
    signInScreen(frame, {
      ...signIn,
      isAgain: true,
      declineHref: '/auth/authorize?client_id=library&consent=denied',
      providers: [
        { name: 'Acme Entra ID', action: '/sign-in/provider/1' },
        { name: longName, action: '/sign-in/provider/2' },
      ],
    }),
  'sign-in-missing': (frame) =>
    signInScreen(frame, { ...signIn, organisation: null, missing: ['username', 'password'] }),
  'sign-in-wrong': (frame) =>
    signInScreen(frame, {
      ...signIn,
      problem: 'The username or the password is wrong.',
      username,
    }),
  'sign-in-unknown-organisation': (frame) =>
    signInScreen(frame, { ...signIn, organisation: null, unknownOrganisation: 'acmee' }),
  choose: (frame) =>
    chooseScreen(
      frame,
      '/choose-organisation',
      [
        { slug: 'acme', name: organisation },
        { slug: 'long', name: longName },
      ],
      '/sign-in',
    ),
  welcome: (frame) =>
    welcomeScreen(frame, { action: '/welcome/x', username, organisation, password: null, passkey, problem: undefined }),
  'welcome-short': (frame) =>
    welcomeScreen(frame, {
      action: '/welcome/x',
      username,
      organisation: longName,
      passkey,
      password: 'too_short',
    }),
  reset: (frame) => resetScreen(frame, { ...reset, organisation: null, isPossible: true }),
  'reset-missing': (frame) => resetScreen(frame, { ...reset, organisation, isPossible: true, isMissing: true }),
  'reset-impossible': (frame) => resetScreen(frame, { ...reset, organisation, isPossible: false }),
  'reset-sent': (frame) => resetSentScreen(frame, organisation, '/sign-in'),
  'new-password': (frame) => newPasswordScreen(frame, { action: '/reset/x', username, organisation, password: null }),
  'new-password-repeat': (frame) =>
    newPasswordScreen(frame, {
      action: '/reset/x',
      username,
      organisation,
      password: 'repeat',
    }),
  account: (frame) => accountScreen(frame, account),
  'account-full': (frame) =>
    accountScreen(frame, { ...account, name: longName, organisation: longName, passkeys, done: 'passkey_added' }),
  'account-new-names': (frame) =>
    accountScreen(frame, {
      ...account,
      newNames: { username, email: 'thandi@example.org', externalIdentifier: 'E-1' },
      providers: [
        { name: 'entra', displayName: 'Entra ID', isConnected: true },
        { name: 'school', displayName: longName, isConnected: false },
      ],
      impersonations: [
        { at: now, way: 'token_exchange', actorId: 'acme-backend' },
        { at: now, way: 'impersonated_link', actorId: 'acme-hr' },
        { at: now, way: 'token_of_username', actorId: longName },
      ],
    }),
  'account-stale': (frame) => accountScreen(frame, { ...account, passkeys, addition: null }),
  rename: (frame) => renameScreen(frame, { id: 'a', name: '', isMissing: true, organisation }),
  'change-password': (frame) =>
    changePasswordScreen(frame, { username, organisation, hasPassword: true, password: null, isCurrentWrong: true }),
  'signed-out': (frame) => signedOutScreen(frame, '/sign-in'),
  'sign-out': (frame) => signOutScreen(frame, '/sign-out'),
  consent: (frame) => consentScreen(frame, consent),
  'consent-long': (frame) =>
    consentScreen(frame, {
      ...consent,
      client: longName,
      host: `${longName}.example`,
      terms: `https://${longName}.example/${longName}`,
      organisation: longName,
    }),
  'problem-link': (frame) => problemScreen(frame, 'link', '/sign-in', '/reset'),
  'problem-provider': (frame) => problemScreen(frame, 'provider', '/sign-in'),
}
