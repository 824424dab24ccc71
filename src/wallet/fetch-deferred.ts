import { Type } from 'typebox'
import type { TenantId } from '../caller.ts'
import { type KeyPair, privateKeyFromPkcs8, publicJwkOf } from '../crypto/jwk.ts'
import { newId } from '../crypto/random.ts'
import { Fault } from '../fault.ts'
import { enqueue, job } from '../jobs/job.ts'
import type { OutboundAnswer, Platform } from '../platform.ts'
import type { Configuration } from '../protocols/openid4vci/credential-configuration.ts'
import { readCredentialResponse } from '../protocols/openid4vci/credential-response.ts'
import type { TenantTx } from '../store/store.ts'
import { type DeferredRow, deleteDeferred, findDeferred, insertDeferred } from './deferred-store.ts'
import { keepCredential, type Receipt, sealCredentials, verifyAll } from './keep-credentials.ts'
import type { Deferred } from './redeem-offer.ts'
import { bytesMax, errorCodeOf, isOk, jsonOf } from './upstream.ts'

/** What is needed to fetch a credential later; sealed at rest. `keys`: PKCS #8 in base64. */
type Work = Pick<Receipt, 'credentialIssuer' | 'notificationEndpoint' | 'accessToken'> & {
  readonly deferredEndpoint: string
  readonly transactionId: string
  readonly intervalSeconds: number
  readonly configuration: Configuration
  readonly keys: readonly string[]
}
type Later = DeferredRow & { readonly intervalSeconds: number }

const KEPT_MS = 30 * 86_400_000
const INTERVAL_SECONDS_MIN = 5
const INTERVAL_SECONDS_MAX = 86_400

/**
 * Asks for a credential that its issuer deferred, until it is there, is refused, or 30 days are over.
 *
 * @see [OpenID4VCI 1.0, 9](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-deferred-credential-endpoin)
 */
export const fetchDeferredJob = job({
  name: 'wallet.fetch-deferred',
  payload: Type.Object({ deferredId: Type.String() }, { additionalProperties: false }),
  attemptsMax: 20,
  timeoutSeconds: 60,
  run: (platform, { deferredId }, _signal, { tenantId }) => fetchDeferred(platform, tenantId, deferredId),
})

/** Seals what is needed to fetch deferred credentials; done before a transaction begins. */
export function sealDeferred(
  { sealing }: Pick<Platform, 'sealing'>,
  receipt: Receipt & { readonly deferredEndpoint: string | null },
  deferred: readonly Deferred[],
): Promise<Later[]> {
  const { tenantId, userId, credentialIssuer, notificationEndpoint, accessToken, deferredEndpoint } = receipt
  return Promise.all(
    deferred.map(async ({ configuration, keys, transactionId, intervalSeconds }) => {
      const work = {
        ...{ credentialIssuer, notificationEndpoint, accessToken, deferredEndpoint },
        ...{ configuration, transactionId, intervalSeconds },
        keys: keys.map(({ pkcs8 }) => pkcs8.toString('base64')),
      }
      const id = newId()
      const sealedWork = await sealing.seal(place(tenantId, id), JSON.stringify(work))
      return { id, userId, sealedWork, intervalSeconds }
    }),
  )
}

/** Remembers a deferred credential and when to ask for it. */
export async function keepDeferred(tx: TenantTx, later: Later, now: Date): Promise<void> {
  await insertDeferred(tx, later, new Date(now.getTime() + KEPT_MS), now)
  await askAgain(tx, later, now)
}

/** [W-R8] not sooner than the issuer wants to be asked */
async function askAgain(tx: TenantTx, { id, intervalSeconds }: Pick<Later, 'id' | 'intervalSeconds'>, now: Date) {
  const seconds = Math.min(Math.max(intervalSeconds, INTERVAL_SECONDS_MIN), INTERVAL_SECONDS_MAX)
  await enqueue(tx, fetchDeferredJob, { deferredId: id }, { now, runAt: new Date(now.getTime() + seconds * 1000) })
}

async function fetchDeferred(platform: Platform, tenantId: TenantId, id: string): Promise<void> {
  const { store, sealing } = platform
  const row = await store.single(tenantId, (tx) => findDeferred(tx, id))
  if (row === null) return
  // Sealed by us in this very form.
  const work = JSON.parse((await sealing.open(place(tenantId, id), row.sealedWork)).toString('utf8')) as Work
  const answer = await ask(platform, work)
  if (answer.status >= 500 || answer.status === 429)
    throw new Fault('upstream.answer', { notes: `status ${answer.status}` })
  try {
    await take(platform, tenantId, row, work, answer)
  } catch (error) {
    // the other side being out of reach is tried again; what does not hold ends here
    if (!(error instanceof Fault) || error.code.startsWith('upstream.')) throw error
    platform.log.info({ code: error.code, upstream: errorCodeOf(answer) }, 'a deferred credential was given up')
    await store.single(tenantId, (tx) => deleteDeferred(tx, id))
  }
}

function ask({ fetch }: Platform, { deferredEndpoint, transactionId, accessToken }: Work): Promise<OutboundAnswer> {
  return fetch(deferredEndpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ transaction_id: transactionId }),
    accept: ['application/json'],
    bytesMax: bytesMax.credentials,
  })
}

async function take(platform: Platform, tenantId: TenantId, row: DeferredRow, work: Work, answer: OutboundAnswer) {
  // [W-R8] credential_request_denied, invalid_transaction_id, a token that ran out: nothing will come
  if (!isOk(answer)) throw new Fault('offer.unusable')
  const keys = work.keys.map(keyPairFrom)
  const response = readCredentialResponse(jsonOf(answer, 'issuer_answer.invalid'), keys.length)
  const now = platform.clock.now()
  if (response.kind === 'deferred') {
    const { intervalSeconds } = response
    return platform.store.inTenant(tenantId, (tx) => askAgain(tx, { id: row.id, intervalSeconds }, now))
  }
  const { configuration } = work
  const by = { kind: 'issuer', id: work.credentialIssuer } as const
  const receipt = { ...work, tenantId, userId: row.userId, by }
  const received = { configuration, keys, raws: response.credentials, notificationId: response.notificationId }
  const ready = await sealCredentials(platform, receipt, await verifyAll(platform, receipt, [received]))
  await platform.store.inTenant(tenantId, async (tx) => {
    // whoever ends it keeps the credential, so that it is there once
    if (!(await deleteDeferred(tx, row.id))) return
    for (const one of ready) await keepCredential(tx, receipt, one, now)
  })
}

function keyPairFrom(text: string): KeyPair {
  const pkcs8 = Buffer.from(text, 'base64')
  const privateKey = privateKeyFromPkcs8(pkcs8)
  const publicJwk = publicJwkOf(privateKey)
  if (publicJwk.kty !== 'EC') throw new Fault('key.unsupported')
  return { publicJwk, privateKey, pkcs8 }
}

function place(tenantId: TenantId, row: string) {
  return { tenantId, table: 'wallet_deferred', column: 'sealed_work', row }
}
