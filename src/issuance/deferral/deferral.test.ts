// Credentials that wait for approval, from the request of the wallet to its poll.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { TestDatabase } from '../../../test/support/database.ts'
import { thumbprint } from '../../crypto/jwk.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { newLease } from '../../store/lease.ts'
import { sql } from '../../store/store.ts'
import { forgetClaims } from '../issuances/forget-store.ts'
import { readAccessToken } from '../offers/access-token.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  aRoot,
  aToken,
  callerOf,
  type Issuer,
  noon,
  type Reply,
  request,
} from '../test-support/issuer.ts'
import { decideDeferral } from './decide-deferral.ts'
import { takeDeferred } from './deferral-store.ts'

let db: TestDatabase
let issuer: Issuer
let other: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  other = await anIssuer(db, undefined, {}, issuer.tenant)
})
after(async () => {
  await issuer.server.close(0)
  await other.server.close(0)
  await db.close()
})

const needsApproval = { approvalRequired: true }
const dayMs = 86_400_000

/** A credential that a wallet has asked for. */
async function aDeferral(template: object = {}, count = 1) {
  issuer.clock.at = noon
  other.clock.at = noon
  const made = await aToken(issuer, { ...needsApproval, ...template })
  const keys = Array.from({ length: count }, aKey)
  const first = await request(issuer, made.token, made.template.code, keys)
  assert.equal(first.status, 202, JSON.stringify(first.body))
  return { ...made, keys, first, id: made.issuance.id as string, transaction: first.body.transaction_id as string }
}

function poll({ token, transaction }: { token: string; transaction: string }, at = issuer): Promise<Reply> {
  return at.open(`/issuers/${at.tenant.slug}/deferred-credential`, {
    json: { transaction_id: transaction },
    headers: { authorization: `Bearer ${token}` },
  })
}

const decide = (id: string, what: 'approve' | 'deny', tenant = issuer.tenant) =>
  issuer.api('POST', `/credentials/${id}/${what}`, undefined, tenant)
const stateOf = async (id: string) => {
  const { status, credentials, error } = (await issuer.api('GET', `/credentials/${id}`)).body.data
  return [status, credentials[0].status, error?.code ?? null]
}

const listActions = sql(
  'test.deferral.actions',
  'select action, detail from audit_entry where subject_id = $1 order by at, id',
)
const actionsOf = async (id: string) =>
  (await issuer.platform.store.single(issuer.tenant.id, (tx) => tx.rows<{ action: string }>(listActions, [id]))).map(
    ({ action }) => action,
  )

test('[VCI-C10, VCI-D2, VCI-D5] a credential waits for approval, and is there at the first poll after it', async () => {
  const deferral = await aDeferral({ batchSize: 3 }, 3)
  assert.deepEqual(Object.keys(deferral.first.body).sort(), ['interval', 'transaction_id'])
  assert.ok(deferral.first.body.interval > 0)
  assert.deepEqual(await stateOf(deferral.id), ['offered', 'deferred', null])
  const waiting = await poll(deferral)
  assert.deepEqual([waiting.status, waiting.body], [202, deferral.first.body])
  assert.equal((await decide(deferral.id, 'approve')).status, 200)
  assert.deepEqual(await stateOf(deferral.id), ['offered', 'deferred', null])
  const { status, body, headers } = await poll(deferral)
  assert.deepEqual([status, headers['cache-control']], [200, 'no-store'], JSON.stringify(body))
  const bound = body.credentials.map(({ credential }: { credential: string }) => {
    const { cnf } = parseSdJwt(credential).jwt.payload as { cnf: { jwk: Parameters<typeof thumbprint>[0] } }
    return thumbprint(cnf.jwk)
  })
  assert.deepEqual(
    bound,
    deferral.keys.map(({ publicJwk }) => thumbprint(publicJwk)),
  )
  assert.deepEqual(await stateOf(deferral.id), ['completed', 'issued', null])
  assert.deepEqual(await actionsOf(deferral.id), [
    'openid4vc.issuance.offered',
    'openid4vc.issuance.deferred',
    'issuance.approved',
    'openid4vc.issuance.completed',
  ])
  assert.deepEqual(Object.keys(body), ['credentials'])
})

test('[VCI-D3] a transaction is redeemed once', async () => {
  const deferral = await aDeferral()
  await decide(deferral.id, 'approve')
  assert.equal((await poll(deferral)).status, 200)
  const { status, body } = await poll(deferral)
  assert.deepEqual([status, body.error], [400, 'invalid_transaction_id'])
})

test('a wallet that lost the response of the deferred endpoint asks the credential endpoint again', async () => {
  const deferral = await aDeferral({ batchSize: 2 }, 2)
  const { id, token, template, keys } = deferral
  await decide(id, 'approve')
  const lost = await poll(deferral)
  assert.equal(lost.status, 200)
  const again = await request(issuer, token, template.code, keys)
  assert.equal(again.status, 200, JSON.stringify(again.body))
  const statusOf = ({ body }: Reply) =>
    body.credentials.map(({ credential }: { credential: string }) => parseSdJwt(credential).jwt.payload.status)
  assert.deepEqual(statusOf(again), statusOf(lost), 'one revocation ends both')
  const others = await request(issuer, token, template.code, [aKey(), aKey()])
  assert.deepEqual([others.status, others.body.error], [400, 'credential_request_denied'])
  const completed = (await actionsOf(id)).filter((one) => one === 'openid4vc.issuance.completed')
  assert.equal(completed.length, 1, 'it is issued once')
})

test('[VCI-D2] a denied credential is refused for good, and its claims are erased', async () => {
  for (const approvedBefore of [false, true]) {
    const deferral = await aDeferral()
    if (approvedBefore) await decide(deferral.id, 'approve')
    assert.equal((await decide(deferral.id, 'deny')).status, 200)
    assert.deepEqual(await stateOf(deferral.id), ['failed', 'failed', 403])
    for (const answer of [await poll(deferral), await poll(deferral)]) {
      assert.deepEqual([answer.status, answer.body.error], [400, 'credential_request_denied'])
    }
    assert.equal((await decide(deferral.id, 'approve')).status, 409)
    assert.equal((await decide(deferral.id, 'deny')).status, 200, 'a decision may be repeated')
    const erased = sql('test.deferral.claims', 'select sealed_claims, deferred_keys from issuance where id = $1')
    const [row] = await issuer.platform.store.single(issuer.tenant.id, (tx) => tx.rows(erased, [deferral.id]))
    assert.deepEqual(row, { sealed_claims: null, deferred_keys: null })
    assert.equal((await actionsOf(deferral.id)).filter((one) => one === 'openid4vc.issuance.failed').length, 1)
  }
})

test('a decision needs a deferred credential of the tenant', async () => {
  const offered = await aToken(issuer, needsApproval)
  const stranger = await issuer.anotherTenant()
  for (const what of ['approve', 'deny'] as const) {
    assert.equal((await decide(offered.issuance.id, what)).status, 409)
    assert.equal((await decide('01890000-0000-7000-8000-000000000000', what)).status, 404)
    assert.equal((await decide((await aDeferral()).id, what, stranger)).status, 404)
  }
  const done = await aDeferral()
  await decide(done.id, 'approve')
  assert.equal((await decide(done.id, 'approve')).status, 200, 'a decision may be repeated')
  await poll(done)
  for (const what of ['approve', 'deny'] as const) assert.equal((await decide(done.id, what)).status, 409)
})

for (const [what, change, expected] of [
  ['[VCI-D3] an unknown transaction', { transaction: 'A'.repeat(43) }, [400, 'invalid_transaction_id']],
  ['[VCI-D3] a transaction that is none', { transaction: 'none' }, [400, 'invalid_transaction_id']],
  ['[VCI-D3] the transaction of another token', 'foreign', [400, 'invalid_transaction_id']],
  ['[VCI-C3] no transaction', { transaction: undefined }, [400, 'invalid_credential_request']],
  ['[VCI-C3] a token that is none', { token: 'none' }, [401, 'invalid_token']],
] as const) {
  test(`a poll with ${what} is refused`, async () => {
    const deferral = await aDeferral()
    const foreign = change === 'foreign' ? { transaction: (await aDeferral()).transaction } : change
    const { status, body } = await poll({ ...deferral, ...(foreign as object) })
    assert.deepEqual([status, body.error], expected)
    assert.equal((await poll(deferral)).status, 202)
  })
}

test('[VCI-D3] a token whose credential was never deferred has no transaction', async () => {
  const { transaction } = await aDeferral()
  const plain = await aToken(issuer)
  const { body } = await poll({ token: plain.token, transaction })
  assert.equal(body.error, 'invalid_transaction_id')
})

test('[VCI-D4] the same keys may ask again and get the same transaction; other keys get none, and a nonce is spent', async () => {
  const deferral = await aDeferral()
  const { template, token, keys } = deferral
  const again = await request(issuer, token, template.code, keys)
  assert.deepEqual([again.status, again.body], [202, deferral.first.body])
  const others = await request(issuer, token, template.code, [aKey()])
  assert.deepEqual([others.status, others.body.error], [400, 'credential_request_denied'])
  const nonce = (await issuer.open(`/issuers/${issuer.tenant.slug}/nonce`, { method: 'POST' })).body.c_nonce
  assert.equal((await request(issuer, token, template.code, keys, { nonce })).status, 202)
  assert.equal((await request(issuer, token, template.code, keys, { nonce })).body.error, 'invalid_nonce')
  assert.equal((await actionsOf(deferral.id)).filter((one) => one === 'openid4vc.issuance.deferred').length, 1)
})

test('an expired access token is accepted for its transaction, and nowhere else, until the deferral ends', async () => {
  const deferral = await aDeferral()
  issuer.clock.at = new Date(noon.getTime() + 29 * dayMs)
  assert.equal((await poll(deferral)).status, 202)
  assert.equal((await request(issuer, deferral.token, deferral.template.code, deferral.keys)).status, 401)
  await decide(deferral.id, 'approve')
  assert.equal((await poll(deferral)).status, 200)
})

test('a deferral that nobody decides ends after 30 days, and its claims are erased', async () => {
  const deferral = await aDeferral()
  issuer.clock.at = new Date(noon.getTime() + 30 * dayMs + 1000)
  const sweep = () => issuer.platform.store.inTenant(issuer.tenant.id, (tx) => forgetClaims(tx, issuer.clock.at, 100))
  assert.equal((await poll(deferral)).body.error, 'credential_request_denied')
  assert.equal((await decide(deferral.id, 'approve')).status, 409)
  await sweep()
  assert.deepEqual((await stateOf(deferral.id)).slice(0, 2), ['expired', 'expired'])
  assert.equal((await poll(deferral)).body.error, 'credential_request_denied')
})

for (const [when, days] of [
  ['once its token ends', 0],
  ['at once where its token has expired', 20],
] as const) {
  test(`the claims of a delivered credential are erased ${when}`, async () => {
    const deferral = await aDeferral()
    await decide(deferral.id, 'approve')
    issuer.clock.at = new Date(noon.getTime() + days * dayMs)
    assert.equal((await poll(deferral)).status, 200)
    const keptAt = async (now: Date) => {
      await issuer.platform.store.inTenant(issuer.tenant.id, (tx) => forgetClaims(tx, now, 100))
      const kept = sql('test.deferral.kept', 'select sealed_claims is not null as kept from issuance where id = $1')
      const rows = await issuer.platform.store.single(issuer.tenant.id, (tx) =>
        tx.rows<{ kept: boolean }>(kept, [deferral.id]),
      )
      return rows[0]?.kept
    }
    assert.equal(await keptAt(issuer.clock.at), days === 0)
    assert.equal(await keptAt(new Date(issuer.clock.at.getTime() + dayMs)), false)
    assert.deepEqual((await stateOf(deferral.id)).slice(0, 2), ['completed', 'issued'])
  })
}

test('of 100 polls at two processes one gets the credential', async () => {
  const deferral = await aDeferral()
  await Promise.all(
    [issuer, other].map(({ platform }) => decideDeferral(platform, callerOf(issuer.tenant), deferral.id, 'approve')),
  )
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, at) => poll(deferral, at % 2 === 0 ? issuer : other)),
  )
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  const rest = replies.filter(({ status }) => status !== 200)
  assert.ok(rest.every(({ status, body }) => status === 202 || body.error === 'invalid_transaction_id'))
  const actions = await actionsOf(deferral.id)
  assert.equal(actions.filter((one) => one === 'openid4vc.issuance.completed').length, 1)
  assert.equal(actions.filter((one) => one === 'issuance.approved').length, 1)
})

test('a poll that died while it issued holds the credential for its lease only', async () => {
  const deferral = await aDeferral()
  await decide(deferral.id, 'approve')
  const { platform, tenant } = issuer
  const token = await readAccessToken(platform.sealing, tenant.id, deferral.token)
  assert(token !== null)
  const lease = newLease(noon, 120_000)
  const taken = await platform.store.single(tenant.id, (tx) => takeDeferred(tx, token, lease, noon))
  assert.equal(taken.outcome, 'taken')
  assert.equal((await poll(deferral)).status, 202)
  issuer.clock.at = new Date(noon.getTime() + 121_000)
  assert.equal((await poll(deferral)).status, 200)
})

test('[VCI-D1] [VCI-C13] the response of a poll is encrypted where that poll asks for it, ready or not', async () => {
  const deferral = await aDeferral()
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), alg: 'ECDH-ES', kid: 'mine' }
  const wish = { transaction_id: deferral.transaction, credential_response_encryption: { jwk, enc: 'A256GCM' } }
  const plain = await issuer.open(`/issuers/${issuer.tenant.slug}/deferred-credential`, {
    json: wish,
    headers: { authorization: `Bearer ${deferral.token}` },
  })
  assert.deepEqual([plain.status, plain.body.error], [400, 'invalid_encryption_parameters'])
  const metadata = `/.well-known/openid-credential-issuer/issuers/${issuer.tenant.slug}`
  const [to] = (await issuer.open(metadata)).body.credential_request_encryption.jwks.keys
  const asked = async () => {
    const jwe = await new CompactEncrypt(Buffer.from(JSON.stringify(wish)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: to.kid })
      .encrypt(await importJWK(to, 'ECDH-ES'))
    const path = `/issuers/${issuer.tenant.slug}/deferred-credential`
    const headers = { authorization: `Bearer ${deferral.token}`, 'content-type': 'application/jwt' }
    const { status, headers: got, body } = await issuer.server.dispatch({ method: 'POST', path, headers, body: jwe })
    assert.equal(got['content-type'], 'application/jwt', body.toString())
    const { plaintext } = await compactDecrypt(body.toString(), privateKey)
    return { status, body: JSON.parse(Buffer.from(plaintext).toString()) }
  }
  assert.deepEqual(await asked(), { status: 202, body: deferral.first.body })
  await decide(deferral.id, 'approve')
  const { status, body } = await asked()
  assert.deepEqual([status, body.credentials.length], [200, 1])
})

test('an issuance that waits for approval can be canceled', async () => {
  const deferral = await aDeferral()
  assert.equal((await issuer.api('DELETE', `/credentials/${deferral.id}`)).status, 200)
  assert.equal((await poll(deferral)).body.error, 'credential_request_denied')
})

test('a credential that cannot be signed stays approved, and the next poll gets it', async () => {
  const root = await aRoot(issuer)
  const deferral = await aDeferral({ signer: { kind: 'certificate' } })
  await decide(deferral.id, 'approve')
  assert.equal((await issuer.api('POST', `/certificates/${root.id}/deactivate`)).status, 200)
  assert.equal((await poll(deferral)).body.error, 'credential_request_denied')
  assert.deepEqual((await stateOf(deferral.id)).slice(0, 2), ['offered', 'deferred'])
  assert.equal((await issuer.api('POST', `/certificates/${root.id}/activate`)).status, 200)
  assert.equal((await poll(deferral)).status, 200)
})
