import type { TenantId } from '../../../caller.ts'
import { isJsonObject, type JsonObject, readOwnJson } from '../../../crypto/json.ts'
import type { SealedPlace } from '../../../keys/sealing.ts'
import type { Platform } from '../../../platform.ts'
import type { TenantTx } from '../../../store/store.ts'
import { deleteClaims, findSealedClaims, putClaims, type SignInKey } from './held-claims-store.ts'

/** What the OpenID provider of a sign-in stated about the user. */
type HeldClaims = {
  /** Name of the provider in the tenant. */
  readonly provider: string
  /** Claims of the ID token and of the UserInfo endpoint; of both the ID token's. */
  readonly claims: JsonObject
}

type SignIn = SignInKey & { readonly tenantId: TenantId }
type Needs = Pick<Platform, 'store' | 'sealing' | 'clock'>

/** As long as an authorization request may take, sign-in and consent included. */
const TTL_SECONDS = 3600

/** Holds the claims of a sign-in for the authorization request that led to it: sealed, for an hour at most. */
export async function holdClaims(needs: Needs, signIn: SignIn, { provider, claims }: HeldClaims): Promise<void> {
  const expiresAt = new Date(needs.clock.now().getTime() + TTL_SECONDS * 1000)
  const sealed = await needs.sealing.seal(placeOf(signIn), JSON.stringify({ provider, claims }))
  await needs.store.single(signIn.tenantId, (tx) => putClaims(tx, signIn, sealed, expiresAt))
}

/**
 * Returns the claims of the latest sign-in of a session; null if none are held: it was not at a provider, no request
 * waited for them, or they have expired.
 */
export async function findHeldClaims(needs: Needs, signIn: SignIn): Promise<HeldClaims | null> {
  const now = needs.clock.now()
  const sealed = await needs.store.single(signIn.tenantId, (tx) => findSealedClaims(tx, signIn, now))
  if (sealed === null) return null
  const held = readOwnJson(await needs.sealing.open(placeOf(signIn), sealed))
  if (!isJsonObject(held) || !isJsonObject(held.claims) || typeof held.provider !== 'string') return null
  return { provider: held.provider, claims: held.claims }
}

/** Deletes the claims of a session, in the transaction that uses them. */
export async function forgetHeldClaims(tx: TenantTx, sessionId: string): Promise<void> {
  await deleteClaims(tx, sessionId)
}

function placeOf({ tenantId, sessionId }: SignIn): SealedPlace {
  return { tenantId, table: 'sign_in_claims', column: 'sealed_claims', row: sessionId }
}
