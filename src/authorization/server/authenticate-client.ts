import type { Client } from '../../directory/clients/client.ts'
import { findClient } from '../../directory/clients/find-client.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { oncePer } from '../../store/once-per.ts'
import type { Store } from '../../store/store.ts'
import { spendAssertion } from './assertion-store.ts'
import { SecretChecker } from './check-secret.ts'
import { type Assertion, checkAssertion, invalidClient, parseAssertion } from './client-assertion.ts'
import type { ClientProof } from './client-proof.ts'
import { FailedAttempts } from './failed-attempts.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'urls'>

const stateOf = oncePer((_store: Store) => ({ secrets: new SecretChecker(), failed: new FailedAttempts() }))

/**
 * Checks who the client is: one statement for a secret, two for an assertion (its `jti` is used up). An unknown client costs as much time
 * as a wrong secret.
 *
 * @throws Fault `client.unauthenticated`, `request.rate_limited`
 */
export async function authenticateClient(needs: Needs, proof: ClientProof, ip: string): Promise<Client> {
  return proof.method === 'secret' ? bySecret(needs, proof, ip) : byAssertion(needs, proof, ip)
}

async function bySecret(
  needs: Needs,
  { clientId, secret }: ClientProof & { method: 'secret' },
  ip: string,
): Promise<Client> {
  const { secrets, failed } = stateOf(needs.store)
  const now = needs.clock.now()
  const client = await findClient(needs, clientId)
  const stored = client?.secretHash ?? null
  const isKnown = client !== null && secrets.isKnown(stored, secret, now)
  const isRight =
    isKnown || (await (secrets.underWay(stored, secret) ?? checkCounted(needs, { clientId, secret, stored, ip })))
  if (client === null || !isRight) throw new Fault('client.unauthenticated')
  failed.succeed(clientId, ip, now, !isKnown)
  return client
}

type SlowCheck = {
  readonly clientId: string
  readonly secret: string
  readonly stored: string | null
  readonly ip: string
}

/** The attempt counts before its slow hash is done. */
function checkCounted({ store, clock }: Needs, { clientId, secret, stored, ip }: SlowCheck): Promise<boolean> {
  const { secrets, failed } = stateOf(store)
  const now = clock.now()
  failed.begin(clientId, ip, now)
  return secrets.check(stored, secret, now, failed.isProven(clientId, now))
}

async function byAssertion(needs: Needs, proof: ClientProof & { method: 'assertion' }, ip: string): Promise<Client> {
  const { failed } = stateOf(needs.store)
  const assertion = parseAssertion(proof.assertion)
  const { clientId } = assertion
  // RFC 7521 4.2: client_id is not needed, but must name the same client
  if (proof.clientId !== null && proof.clientId !== clientId) throw invalidClient('is from another client')
  try {
    return await acceptAssertion(needs, assertion)
  } catch (error) {
    // After the check, which is cheap: what others forge in the name of a client does not keep the client out.
    if (error instanceof Fault && error.code === 'client.unauthenticated') failed.refuse(ip, needs.clock.now())
    throw error
  }
}

async function acceptAssertion(needs: Needs, assertion: Assertion): Promise<Client> {
  const { clientId } = assertion
  const client = await findClient(needs, clientId)
  if (client === null || client.keys === null) throw invalidClient('is not signed with a key of the client')
  const audiences = [needs.urls.auth, `${needs.urls.auth}/token`]
  const { jti, expiresAt } = checkAssertion(assertion, client.keys, { audiences, now: needs.clock.now() })
  const isFirst = await needs.store.single(client.tenantId, (tx) => spendAssertion(tx, { clientId, jti, expiresAt }))
  // RFC 7523 3: a jti is used once
  if (!isFirst) throw invalidClient('was used before')
  return client
}
