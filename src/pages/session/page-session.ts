import { setTimeout as sleep } from 'node:timers/promises'
import { scopesOfRoles, type TenantId } from '../../caller.ts'
import { readOwnJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { makeBearerSecret, readBearerSecret } from '../../keys/bearer-secret.ts'
import type { SealedPlace } from '../../keys/sealing.ts'
import type { Platform } from '../../platform.ts'
import { inPieces } from '../../store/in-pieces.ts'
import { readCookie, writeCookie } from '../cookies.ts'
import {
  claimRefresh,
  deleteExpiredPageSessions,
  deletePageSession,
  insertPageSession,
  keepSealedDraft,
  type PageSessionRow,
  readPageSession,
  renewTokens,
  replaceTokens,
  usePageSession,
} from './page-session-store.ts'
import { type Me, readMe, requestTokens, type Tokens } from './tokens.ts'

/** A browser that is signed in to the pages. */
export type PageSession = {
  readonly tenantId: TenantId
  readonly id: string
  readonly me: Me
  readonly accessToken: string
  readonly idToken: string
  /** The roles give more or less than the tokens do: the pages sign the person in again, without asking. */
  readonly hasOtherRoles: boolean
  /** A form that the last session could not send any more. */
  readonly draft: Draft | null
}

/** Who probably signs in. `loginHint`: see OpenID Connect Core, 3.1.2.1; null: only the organisation is known. */
export type KnownPerson = { readonly tenantSlug: string; readonly loginHint: string | null }

/** A form that arrived too late: its path, and its members. */
type Draft = { readonly path: string; readonly fields: readonly (readonly [string, readonly string[]])[] }

/** Name of the cookie, without its prefix. */
const COOKIE = 'session'
const IDLE_SECONDS = 1800
const LIFETIME_SECONDS = 12 * 3600
const SEEN_SECONDS = 60
/** A token is exchanged this long before it ends, so that a page in need of it never waits. */
const EARLY_MS = 60_000
const REFRESH_MS_MAX = 10_000
const POLL_MS = 100
const POLLS_MAX = 50

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing' | 'urls' | 'dispatch' | 'config'>
type Held = { readonly tenantId: TenantId; readonly row: PageSessionRow }

/**
 * Returns the session of a browser, with an access token that is valid for some time yet; null: sign in first.
 *
 * @throws Fault where the authorization server does not answer
 */
export async function findPageSession(
  needs: Needs,
  cookieHeader: string | undefined,
  ip: string,
): Promise<PageSession | null> {
  const held = await heldBy(needs, cookieHeader)
  return held?.row.isAlive ? withTokens(needs, held, ip) : null
}

/**
 * Starts a session after a sign-in, always with a new secret; the former one of the browser ends, its draft goes to the
 * same user.
 */
export async function startPageSession(
  needs: Needs,
  { signInSessionId, ...granted }: Tokens & { readonly until: Date; readonly signInSessionId: string },
  cookieHeader: string | undefined,
): Promise<{ readonly cookie: string } | null> {
  const { id: userId, organisation } = granted.me
  const tenantId = organisation.id
  const former = await heldBy(needs, cookieHeader)
  const isSame = former !== null && former.tenantId === tenantId && former.row.userId === userId
  const draft = isSame ? await openDraft(needs, former) : null
  const { id, hash, text } = makeBearerSecret(tenantId)
  const now = needs.clock.now()
  const { until, ...tokens } = granted
  const session = {
    id,
    hash,
    signInSessionId,
    userId,
    now,
    tokensUntil: until,
    sealedTokens: await needs.sealing.seal(tokensPlace(tenantId, id), JSON.stringify(tokens)),
    sealedDraft: draft === null ? null : await needs.sealing.seal(draftPlace(tenantId, id), JSON.stringify(draft)),
    expiresAt: new Date(now.getTime() + LIFETIME_SECONDS * 1000),
  }
  const isStarted = await needs.store.single(tenantId, (tx) => insertPageSession(tx, session))
  if (former !== null) await needs.store.single(former.tenantId, (tx) => deletePageSession(tx, former.row.id))
  return isStarted ? { cookie: writeCookie(needs, COOKIE, text, LIFETIME_SECONDS) } : null
}

/** Asks anew who the person of a session is, and how their organisation appears; else that is as old as the tokens. */
export async function renewMe(needs: Needs, { tenantId, id }: PageSession, ip: string): Promise<void> {
  const row = await needs.store.single(tenantId, (tx) => readPageSession(tx, id))
  if (row === null) return
  const tokens = await openTokens(needs, tenantId, row)
  const me = await readMe(needs, tokens.accessToken, ip)
  if (me === null) return
  const sealed = await needs.sealing.seal(tokensPlace(tenantId, id), JSON.stringify({ ...tokens, me }))
  await needs.store.single(tenantId, (tx) => replaceTokens(tx, id, sealed, row.tokensUntil))
}

/** Ends a session. Returns the Set-Cookie header that deletes its cookie. */
export async function endPageSession(
  needs: Pick<Needs, 'store' | 'urls'>,
  { tenantId, id }: Pick<PageSession, 'tenantId' | 'id'>,
): Promise<string> {
  await needs.store.single(tenantId, (tx) => deletePageSession(tx, id))
  return writeCookie(needs, COOKIE, '', 0)
}

/**
 * Returns the person of the session of a browser, also if it was idle too long: probably the one who signs in next.
 * null without a session.
 */
export async function formerPerson(needs: Needs, cookieHeader: string | undefined): Promise<KnownPerson | null> {
  const held = await heldBy(needs, cookieHeader)
  return held === null ? null : knownPerson((await openTokens(needs, held.tenantId, held.row)).me)
}

/** Returns a signed-in person as a sign-in names them. */
export function knownPerson({ organisation, email }: Me): KnownPerson {
  return { tenantSlug: organisation.slug, loginHint: email }
}

/**
 * Keeps a form of a browser whose session was idle too long, until the same user has signed in.
 *
 * @returns false if the browser has no session to keep it in: it may be another person's next
 */
export async function keepDraft(needs: Needs, cookieHeader: string | undefined, draft: Draft): Promise<boolean> {
  const held = await heldBy(needs, cookieHeader)
  if (held === null) return false
  const { tenantId, row } = held
  const sealed = await needs.sealing.seal(draftPlace(tenantId, row.id), JSON.stringify(draft))
  await needs.store.single(tenantId, (tx) => keepSealedDraft(tx, row.id, sealed))
  return true
}

/** Forgets the draft of a session, once its form has arrived. */
export async function forgetDraft(
  { store }: Pick<Needs, 'store'>,
  { tenantId, id }: Pick<PageSession, 'tenantId' | 'id'>,
): Promise<void> {
  await store.single(tenantId, (tx) => keepSealedDraft(tx, id, null))
}

/** Deletes the expired sessions of all tenants. */
export function sweepPageSessions(needs: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal): Promise<void> {
  const now = needs.clock.now()
  const reason = 'expired page sessions of all tenants'
  return inPieces(needs, reason, signal, (tx, limit) => deleteExpiredPageSessions(tx, now, limit))
}

async function heldBy(
  needs: Pick<Needs, 'store' | 'clock' | 'urls'>,
  cookieHeader: string | undefined,
): Promise<Held | null> {
  const secret = readBearerSecret(readCookie(needs, COOKIE, cookieHeader) ?? '')
  if (secret === null) return null
  const now = needs.clock.now()
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const at = { now, idleSince: before(IDLE_SECONDS), seenBefore: before(SEEN_SECONDS) }
  const row = await needs.store.single(secret.tenantId, (tx) => usePageSession(tx, secret, at))
  return row === null ? null : { tenantId: secret.tenantId, row }
}

async function withTokens(needs: Needs, held: Held, ip: string): Promise<PageSession | null> {
  const { tenantId, row } = held
  const tokens = await currentTokens(needs, held, ip)
  if (tokens === null) {
    await needs.store.single(tenantId, (tx) => deletePageSession(tx, row.id))
    return null
  }
  const { me, accessToken, idToken } = tokens
  const granted = scopesOfRoles(me.roles)
  const hasOtherRoles = granted.some((one) => !me.scopes.includes(one))
  return { tenantId, id: row.id, me, accessToken, idToken, hasOtherRoles, draft: await openDraft(needs, held) }
}

async function currentTokens(needs: Needs, { tenantId, row }: Held, ip: string): Promise<Tokens | null> {
  const now = needs.clock.now()
  const held = await openTokens(needs, tenantId, row)
  if (row.tokensUntil.getTime() - now.getTime() > EARLY_MS) return held
  const until = new Date(now.getTime() + REFRESH_MS_MAX)
  const isOurs = await needs.store.single(tenantId, (tx) => claimRefresh(tx, row.id, row.tokensUntil, now, until))
  if (isOurs) return refresh(needs, { tenantId, row }, held, ip)
  return row.tokensUntil > now ? held : awaitRefresh(needs, tenantId, row)
}

async function refresh(needs: Needs, { tenantId, row }: Held, held: Tokens, ip: string): Promise<Tokens | null> {
  const form = { grant_type: 'refresh_token', refresh_token: held.refreshToken }
  const granted = await requestTokens(needs, form, ip)
  if (granted === null) return null
  const { until, ...tokens } = { ...granted, idToken: held.idToken }
  const sealed = await needs.sealing.seal(tokensPlace(tenantId, row.id), JSON.stringify(tokens))
  await needs.store.single(tenantId, (tx) => renewTokens(tx, row.id, sealed, until))
  return tokens
}

/** Another request exchanges the refresh token, which may be used once. */
async function awaitRefresh(needs: Needs, tenantId: TenantId, former: PageSessionRow): Promise<Tokens | null> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    await sleep(POLL_MS)
    const row = await needs.store.single(tenantId, (tx) => readPageSession(tx, former.id))
    if (row === null) return null
    if (row.tokensUntil > former.tokensUntil) return openTokens(needs, tenantId, row)
  }
  throw new Fault('upstream.timeout')
}

async function openTokens(needs: Needs, tenantId: TenantId, row: PageSessionRow): Promise<Tokens> {
  // Sealed by this server.
  return readOwnJson(await needs.sealing.open(tokensPlace(tenantId, row.id), row.sealedTokens)) as Tokens
}

async function openDraft(needs: Pick<Needs, 'sealing'>, { tenantId, row }: Held): Promise<Draft | null> {
  if (row.sealedDraft === null) return null
  // Sealed by this server.
  return readOwnJson(await needs.sealing.open(draftPlace(tenantId, row.id), row.sealedDraft)) as Draft
}

function tokensPlace(tenantId: TenantId, row: string): SealedPlace {
  return { tenantId, table: 'page_session', column: 'sealed_tokens', row }
}

function draftPlace(tenantId: TenantId, row: string): SealedPlace {
  return { tenantId, table: 'page_session', column: 'sealed_draft', row }
}
