import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { UserId } from '../../caller.ts'
import { readOwnJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { SealedPlace } from '../../keys/sealing.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { cookieName, cookieNamed, endOldest, writeCookie } from '../cookies.ts'
import { findPath, keepPath } from './kept-path.ts'

/** What the browser keeps, sealed, until it returns from the authorization server. */
export type StartedSignIn = {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Path that the browser is led to afterwards. */
  readonly to: string
  /** The only person whose sign-in is accepted; undefined: no restriction. */
  readonly userId?: UserId
  /** The sign-in was started again because an answer was lost; that happens once. */
  readonly isAgain?: boolean
}

/** `pathSecret`: the path is kept on the server. */
type Stored = StartedSignIn & { readonly pathSecret?: string }

type Needs = Pick<Platform, 'sealing' | 'urls' | 'store' | 'clock' | 'rateLimiter'>

const COOKIE = 'sign-in-'
/** As long as the authorization server keeps the pushed request. */
const STARTED_SECONDS = 1800
/** Browsers drop a cookie of more than 4,096 characters, with its name. */
const COOKIE_CHARS_MAX = 4000
/** All started sign-ins of a browser together: half of what a request may have as headers. */
const ALL_CHARS_MAX = 8000
/** A path arrived in a request line, which is shorter. */
const PLAIN_BYTES_MAX = 65_536

/**
 * Seals what began into cookies: the first keeps it; the others end the oldest sign-ins of this browser if all together
 * would become too long, since a request with too long headers is refused. Links carry whole offers and requests, so it
 * is compressed. A path that is too long nevertheless is kept on the server; where too many of an address are kept
 * there, it is left out, with a member that says so (`kept=0`).
 */
export async function writeStarted(
  needs: Needs,
  started: StartedSignIn,
  { ip, cookieHeader }: { readonly ip: string; readonly cookieHeader: string | undefined },
): Promise<readonly string[]> {
  const whole = await seal(needs, started)
  const name = nameOf(started.state)
  const isShort = name.length + whole.length < COOKIE_CHARS_MAX
  const value = isShort ? whole : await seal(needs, await shortened(needs, started, ip))
  const bound = { added: name.length + value.length, charsMax: ALL_CHARS_MAX }
  return [writeCookie(needs, name, value, STARTED_SECONDS), ...endOldest(needs, COOKIE, cookieHeader, bound)]
}

/** Returns the sign-in that this browser began with a state; null for a state that it did not begin. */
export async function readStarted(
  needs: Needs,
  state: string | undefined,
  cookieHeader: string | undefined,
): Promise<StartedSignIn | null> {
  if (state === undefined || !/^[\w-]{43}$/.test(state)) return null
  const sealed = cookieNamed(cookieName(needs, nameOf(state)), cookieHeader)
  if (sealed === null) return null
  try {
    const packed = await needs.sealing.open(placeOf(state), Buffer.from(sealed, 'base64url'))
    // Sealed by this server.
    const stored = readOwnJson(inflateRawSync(packed, { maxOutputLength: PLAIN_BYTES_MAX })) as Stored
    const path = stored.pathSecret === undefined ? null : await findPath(needs, stored.pathSecret)
    return path === null ? stored : { ...stored, to: path }
  } catch {
    return null
  }
}

/** Returns the Set-Cookie header that ends a started sign-in. */
export function endStarted(needs: Needs, { state }: Pick<StartedSignIn, 'state'>): string {
  return writeCookie(needs, nameOf(state), '', 0)
}

/**
 * The compressed text has secrets of this sign-in only, made a moment ago: its length tells nothing that could be asked
 * again.
 */
async function seal({ sealing }: Needs, started: Stored): Promise<string> {
  const packed = deflateRawSync(JSON.stringify(started))
  return (await sealing.seal(placeOf(started.state), packed)).toString('base64url')
}

async function shortened(needs: Needs, started: StartedSignIn, ip: string): Promise<Stored> {
  const to = withoutLink(started.to)
  try {
    return { ...started, to, pathSecret: await keepPath(needs, started.to, ip, STARTED_SECONDS) }
  } catch (error) {
    if (error instanceof Fault && error.code === 'request.rate_limited') return { ...started, to }
    throw error
  }
}

function withoutLink(to: string): string {
  return `${to.split('?', 1)[0]}?kept=0`
}

function nameOf(state: string): string {
  return COOKIE + state.slice(0, 8)
}

/** The state in the place binds the sealed value to its request. */
function placeOf(state: string): SealedPlace {
  return { tenantId: platformTenantId, table: 'cookie', column: 'sign-in', row: state }
}
