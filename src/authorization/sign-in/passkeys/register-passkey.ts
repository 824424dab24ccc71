import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { findSignInUser } from '../../../directory/users/sign-in-users.ts'
import { displayName } from '../../../directory/users/user.ts'
import { record } from '../../../events/audit/record.ts'
import type { Platform } from '../../../platform.ts'
import { newId } from '../../../store/row-id.ts'
import type { TenantTx } from '../../../store/store.ts'
import { type OpenedState, sealState, spendState, unsealState } from '../sealed-state.ts'
import { isFresh, type Session } from '../session.ts'
import { actorOf, type UserRef, type Visit } from '../visit.ts'
import { insertPasskey, listUserPasskeys, type NewPasskey } from './passkey-store.ts'
import {
  CHALLENGE_SECONDS,
  knownTransports,
  PASSKEY_ALGORITHMS,
  readPublicKeyCredential,
  relyingParty,
  userHandle,
  withoutAttestation,
} from './relying-party.ts'

/** What a browser needs to create a passkey. `state` is sealed and single use, and comes back with the response. */
export type PasskeyCreation = { readonly options: PublicKeyCredentialCreationOptionsJSON; readonly state: string }

/** What a browser sends. `response`: the credential in the JSON form of WebAuthn. `name`: for the list of the user. */
export type CreatedPasskey = { readonly state: string; readonly response: unknown; readonly name: string }

/** A passkey whose registration was verified, ready to store. */
type VerifiedPasskey = NewPasskey & { readonly state: OpenedState }

type Needs = Pick<Platform, 'store' | 'clock' | 'urls' | 'sealing'>

const PASSKEYS_MAX = 20
const NAME_CHARS_MAX = 100

/**
 * Starts the registration of a passkey.
 *
 * @returns null if the user authenticated more than 15 minutes ago, or may not sign in
 */
export async function beginPasskey(needs: Needs, session: Session): Promise<PasskeyCreation | null> {
  return isFresh(needs, session) ? offerPasskey(needs, session) : null
}

/**
 * Completes the registration of a passkey.
 *
 * @returns false if the response is invalid or late, or the user has 20 passkeys
 */
export async function addPasskey(
  needs: Needs,
  { tenantId, userId }: Session,
  created: CreatedPasskey,
  visit: Visit,
): Promise<boolean> {
  const passkey = await verifyPasskey(needs, { tenantId, userId }, created)
  if (passkey === null || !(await spendState(needs, passkey.state))) return false
  return needs.store.inTenant(tenantId, (tx) => storePasskey(tx, passkey, visit, needs.clock.now()))
}

/** Returns the options of a passkey for a user: discoverable, with user verification, not twice on one device. */
export async function offerPasskey(needs: Needs, { tenantId, userId }: UserRef): Promise<PasskeyCreation | null> {
  const found = await needs.store.inTenant(tenantId, async (tx) => {
    const user = await findSignInUser(tx, userId)
    return user === null ? null : { user, known: await listUserPasskeys(tx, userId) }
  })
  if (found === null) return null
  const { rpId } = relyingParty(needs)
  const options = await generateRegistrationOptions({
    rpName: 'Chirograph',
    rpID: rpId,
    userName: found.user.username,
    userDisplayName: displayName(found.user),
    userID: userHandle({ tenantId, userId }),
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    excludeCredentials: found.known.map(({ credentialId, transports }) => {
      return { id: credentialId.toString('base64url'), transports: [...transports] }
    }),
  })
  const values = { challenge: options.challenge, tenantId, userId }
  return { options, state: await sealState(needs, 'passkey-registration', values, CHALLENGE_SECONDS) }
}

/**
 * Verifies the registration of a passkey for a user: challenge, origin, RP ID, user verification. Attestation is NOT
 * evaluated, and the state is NOT spent.
 *
 * @returns null if anything is wrong.
 * @see [WebAuthn Level 3, 7.1](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential)
 */
export async function verifyPasskey(
  needs: Needs,
  { tenantId, userId }: UserRef,
  { state: text, response, name }: CreatedPasskey,
): Promise<VerifiedPasskey | null> {
  const state = await unsealState(needs, 'passkey-registration', text)
  const credential = readPublicKeyCredential(response)
  const attestationObject = withoutAttestation(credential?.response.attestationObject)
  if (state === null || credential === null || attestationObject === null) return null
  if (state.values.tenantId !== tenantId || state.values.userId !== userId) return null
  const { rpId, origin } = relyingParty(needs)
  const { clientDataJSON, transports } = credential.response
  const verified = await verifyRegistrationResponse({
    // The library checks each member.
    response: { ...credential, response: { clientDataJSON, attestationObject } } as unknown as RegistrationResponseJSON,
    expectedChallenge: String(state.values.challenge),
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
  }).catch(() => null)
  if (verified === null || !verified.verified) return null
  const { credential: key, credentialDeviceType } = verified.registrationInfo
  return {
    state,
    id: newId(),
    userId,
    credentialId: Buffer.from(key.id, 'base64url'),
    publicKey: Buffer.from(key.publicKey),
    counter: key.counter,
    transports: knownTransports(transports),
    isSynced: credentialDeviceType === 'multiDevice',
    name: passkeyName(name),
  }
}

/**
 * Stores a verified passkey in the caller's transaction. Returns false if it is registered or the user has 20 passkeys.
 */
export async function storePasskey(tx: TenantTx, passkey: VerifiedPasskey, visit: Visit, now: Date): Promise<boolean> {
  if (!(await insertPasskey(tx, passkey, PASSKEYS_MAX, now))) return false
  const { id, userId } = passkey
  const subject = { kind: 'passkey', id } as const
  await record(tx, { action: 'passkey.added', subject, by: actorOf(userId, visit), detail: { userId } }, now)
  return true
}

/** Returns a name that can be stored: at most 100 characters, not empty. */
export function passkeyName(name: string): string {
  return [...name.normalize('NFC').replaceAll('\0', '').trim()].slice(0, NAME_CHARS_MAX).join('') || 'Passkey'
}
