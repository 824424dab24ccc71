import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server'
import { findTenant } from '../../../directory/tenants/find-tenant.ts'
import { record } from '../../../events/audit/record.ts'
import type { Platform } from '../../../platform.ts'
import { type Browser, completeSignIn, type SignedIn } from '../complete-sign-in.ts'
import { countSignInAttempt } from '../count-attempt.ts'
import { sealState, spendState, unsealState } from '../sealed-state.ts'
import { anonymous, type UserRef, type Visit } from '../visit.ts'
import { findPasskey, type Passkey, usePasskey } from './passkey-store.ts'
import { CHALLENGE_SECONDS, readPublicKeyCredential, readUserHandle, relyingParty } from './relying-party.ts'

/**
 * What a browser needs to sign in with a passkey. `state` is sealed and single use, and comes back with the response.
 */
type PasskeyRequest = { readonly options: PublicKeyCredentialRequestOptionsJSON; readonly state: string }

/** What a browser sends. `tenantSlug` null: the organisation of the passkey, whichever it is. */
type PasskeyAnswer = {
  readonly state: string
  readonly response: unknown
  readonly tenantSlug: string | null
}

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls' | 'sealing' | 'rateLimiter'>

const REFUSED = { kind: 'refused' } as const
const STALE = { kind: 'stale' } as const

/**
 * Starts a sign-in with a passkey, without a username: the authenticator offers those that it has for this server.
 * Writes nothing.
 */
export async function beginPasskeySignIn(needs: Pick<Needs, 'urls' | 'sealing' | 'clock'>): Promise<PasskeyRequest> {
  const { rpId } = relyingParty(needs)
  const options = await generateAuthenticationOptions({ rpID: rpId, userVerification: 'required' })
  const values = { challenge: options.challenge }
  return { options, state: await sealState(needs, 'passkey-sign-in', values, CHALLENGE_SECONDS) }
}

/**
 * Signs a person in with a passkey. The challenge is used once, and a signature whose counter did not grow is refused.
 *
 * @returns `stale`: the challenge has expired or was used, as when the browser sends the form again because the answer
 *   was lost. A new one helps.
 * @throws Fault `request.rate_limited` by network
 * @see [WebAuthn Level 3, 7.2](https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion)
 */
export async function signInByPasskey(
  needs: Needs,
  answer: PasskeyAnswer,
  browser: Browser,
): Promise<SignedIn | typeof REFUSED | typeof STALE> {
  const refund = countSignInAttempt(needs, browser.visit.ip)
  const state = await unsealState(needs, 'passkey-sign-in', answer.state)
  const credential = readPublicKeyCredential(answer.response)
  const handle = credential?.response.userHandle
  const user = typeof handle === 'string' ? readUserHandle(handle) : null
  if (state === null) return STALE
  if (credential === null || user === null) return REFUSED
  if (answer.tenantSlug !== null && (await findTenant(needs, answer.tenantSlug))?.id !== user.tenantId) return REFUSED
  const { tenantId, userId } = user
  const id = Buffer.from(credential.id, 'base64url')
  const passkey = await needs.store.single(tenantId, (tx) => findPasskey(tx, id, userId))
  if (passkey === null) return REFUSED
  // First of all: a form that is sent again brings the counter of the first one, which would say that the passkey was
  // copied.
  if (!(await spendState(needs, state))) {
    await refuse(needs, user, browser.visit)
    return STALE
  }
  const used = await verifyAnswer(needs, credential, String(state.values.challenge), passkey)
  if (used === null) return refuse(needs, user, browser.visit)
  const now = needs.clock.now()
  const isUsed = await needs.store.single(tenantId, (tx) => usePasskey(tx, passkey.id, { ...used, now }))
  if (!isUsed) return refuse(needs, user, browser.visit)
  refund()
  // RFC 8176: a key in hardware, or one that is synchronized; the user was verified.
  const methods = [used.isSynced ? 'swk' : 'hwk', 'user']
  return (await completeSignIn(needs, user, methods, browser)) ?? REFUSED
}

async function verifyAnswer(needs: Needs, credential: unknown, challenge: string, passkey: Passkey) {
  const { rpId, origin } = relyingParty(needs)
  const { credentialId, publicKey, counter } = passkey
  const verified = await verifyAuthenticationResponse({
    // The library checks each member.
    response: credential as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    credential: { id: credentialId.toString('base64url'), publicKey: new Uint8Array(publicKey), counter },
    requireUserVerification: true,
  }).catch(() => null)
  if (verified === null || !verified.verified) return null
  const { newCounter, credentialDeviceType } = verified.authenticationInfo
  return { counter: newCounter, isSynced: credentialDeviceType === 'multiDevice' }
}

async function refuse({ store, clock }: Needs, { tenantId, userId }: UserRef, visit: Visit): Promise<typeof REFUSED> {
  const subject = { kind: 'user', id: userId } as const
  const entry = { action: 'user.authenticated', subject, by: anonymous(visit), result: 'refused' } as const
  await store.inTenant(tenantId, (tx) => record(tx, entry, clock.now()))
  return REFUSED
}
