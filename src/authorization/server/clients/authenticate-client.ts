import type { Client } from '../../../directory/clients/client.ts'
import { hasMadeSecret, isMadeSecret, slowHashOf } from '../../../directory/clients/client-secret.ts'
import { noteClientUse } from '../../../directory/clients/note-client-use.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import {
  type Assertion,
  checkAssertion,
  invalidClient,
  parseAssertion,
} from '../../../protocols/oauth2/client-assertion.ts'
import { spendJti } from '../../access/spent-jti-store.ts'
import type { ServerInstance } from '../instance.ts'
import { SecretChecker } from './check-secret.ts'
import { keysForAssertion } from './client-keys.ts'
import type { ClientProof } from './client-proof.ts'
import {
  countClientAttempt,
  countFailure,
  guessesOf,
  isProvenClient,
  noteProven,
  recordSuccess,
} from './failed-attempts.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'rateLimiter' | 'fetch' | 'sealing'>
type Server = Pick<ServerInstance, 'issuer' | 'clients'>

/**
 * Authenticates a client: one statement for a secret or a public client, two for an assertion (its `jti` is spent) or a
 * secret that needs its slow hash, and one more every five minutes. An unknown client takes as much time as a wrong
 * secret.
 *
 * Throws Fault `client.unauthenticated`, `request.rate_limited`.
 */
export async function authenticateClient(
  needs: Needs,
  server: Server,
  proof: ClientProof,
  ip: string,
): Promise<Client> {
  const client = await provenClient(needs, server, proof, ip)
  await noteClientUse(needs, client)
  return client
}

async function provenClient(needs: Needs, server: Server, proof: ClientProof, ip: string): Promise<Client> {
  if (proof.method === 'secret') return bySecret(needs, server, proof, ip)
  if (proof.method === 'assertion') return byAssertion(needs, server, proof, ip)
  const client = await server.clients.find(proof.clientId)
  // RFC 6749 3.2.1: a confidential client authenticates
  if (client?.isPublic === true) return client
  countFailure(needs, ip)
  throw new Fault('client.unauthenticated', { detail: 'Client authentication is needed.' })
}

async function bySecret(
  needs: Needs,
  server: Server,
  { clientId, secret }: ClientProof & { method: 'secret' },
  ip: string,
): Promise<Client> {
  const secrets = needs.memory.single('authorization.secret_checker', () => new SecretChecker(needs.memory))
  const client = await server.clients.find(clientId)
  // Decided by the form of the text alone, so that the time does not tell which clients exist.
  if (isMadeSecret(secret)) {
    if (client !== null && hasMadeSecret(client, secret, needs.clock.now())) return client
    countFailure(needs, ip)
    throw new Fault('client.unauthenticated')
  }
  const stored = client === null ? null : slowHashOf(client, needs.clock.now())
  const isVerified = client !== null && secrets.isVerified(stored, secret, needs.clock.now())
  if (client !== null && !isProvenClient(needs, clientId)) noteProven(needs, client)
  const guesses = guessesOf(needs, clientId, ip)
  const check = () => {
    guesses.admit()
    countClientAttempt(needs, clientId, ip)
    const isProven = client !== null && isProvenClient(needs, clientId)
    return secrets.check(stored, secret, needs.clock.now(), isProven ? { tenantId: client.tenantId } : { ip })
  }
  const pending = secrets.pending(stored, secret)
  const isRight = isVerified || (await (pending ?? check()))
  if (client === null || !isRight) {
    // Concurrent requests with the same secret are one guess.
    if (pending === undefined) await guesses.wrong()
    throw new Fault('client.unauthenticated')
  }
  if (!isVerified) await guesses.right()
  recordSuccess(needs, clientId, ip, !isVerified)
  return client
}

async function byAssertion(
  needs: Needs,
  server: Server,
  proof: ClientProof & { method: 'assertion' },
  ip: string,
): Promise<Client> {
  const assertion = parseAssertion(proof.assertion)
  const { clientId } = assertion
  // RFC 7521 4.2: client_id is optional, but must name the same client
  if (proof.clientId !== null && proof.clientId !== clientId) throw invalidClient('is from another client')
  try {
    return await acceptAssertion(needs, server, assertion)
  } catch (error) {
    // Counted after the check, which is cheap: assertions that others forge in the name of a client do not lock the
    // client out.
    if (error instanceof Fault && error.code === 'client.unauthenticated') countFailure(needs, ip)
    throw error
  }
}

async function acceptAssertion(needs: Needs, { issuer, clients }: Server, assertion: Assertion): Promise<Client> {
  const { clientId } = assertion
  const client = await clients.find(clientId)
  if (client === null) throw invalidClient('is not signed with a key of the client')
  const keys = await keysForAssertion(needs, client, assertion.jws.header.kid)
  const { jti, expiresAt } = checkAssertion(assertion, keys, { audience: issuer, now: needs.clock.now() })
  const isFirst = await needs.store.single(client.tenantId, (tx) => spendJti(tx, { signer: clientId, jti, expiresAt }))
  // RFC 7523 3: a jti is accepted once
  if (!isFirst) throw invalidClient('was used before')
  return client
}
