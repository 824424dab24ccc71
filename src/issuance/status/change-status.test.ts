import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { resolveIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { checkStatus } from '../../trust/status-lists/check-status.ts'
import { aDatabase, aKey, anIssuer, anOffer, aToken, type Body, type Issuer, request } from '../test-support/issuer.ts'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

/** A credential that is out, its ids, and the copies of it. */
async function issued(template: object = {}, copies = 1) {
  const made = await aToken(issuer, template)
  const keys = Array.from({ length: copies }, aKey)
  const { status, body } = await request(issuer, made.token, made.template.code, keys)
  assert.equal(status, 200, JSON.stringify(body))
  const compacts: string[] = body.credentials.map(({ credential }: Body) => credential)
  return { id: made.issuance.credentials[0].id as string, issuanceId: made.issuance.id as string, compacts }
}

async function change(verb: string, ids: readonly string[], tenant = issuer.tenant): Promise<Body> {
  const { status, body } = await issuer.api('POST', `/credentials/${verb}`, { ids }, tenant)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.results
}

/** What a verifier finds in the status list. */
async function found(compact: string): Promise<readonly string[]> {
  const { jwt } = parseSdJwt(compact)
  const now = issuer.clock.at
  const signer = await resolveIssuer({ ...issuer.platform, tenantId: issuer.tenant.id }, jwt, now)
  return (await checkStatus({ ...issuer.platform, tenantId: issuer.tenant.id }, jwt.payload.status, signer, now)).map(
    ({ code }) => code,
  )
}

async function entryStatus(issuanceId: string): Promise<string> {
  return (await issuer.api('GET', `/credentials/${issuanceId}`)).body.data.credentials[0].status
}

async function eventsOf(id: string): Promise<string[]> {
  const statement = sql(
    'test.standing.events',
    'select event_type, detail from audit_entry where tenant_id = $1 and subject_id = $2 order by id',
  )
  const rows = await issuer.platform.store.single(issuer.tenant.id, (tx) =>
    tx.rows<{ event_type: string }>(statement, [issuer.tenant.id, id]),
  )
  return rows.map(({ event_type }) => event_type)
}

test('a credential is suspended, reinstated and revoked: each shows in the API, in the next check and as an event', async () => {
  const { id, issuanceId, compacts } = await issued()
  const [compact = ''] = compacts
  assert.deepEqual(await found(compact), [])
  assert.deepEqual(await change('suspend', [id]), [{ id, status: 'suspended' }])
  assert.deepEqual([await entryStatus(issuanceId), await found(compact)], ['suspended', ['status.suspended']])
  assert.deepEqual(await change('reinstate', [id]), [{ id, status: 'issued' }])
  assert.deepEqual([await entryStatus(issuanceId), await found(compact)], ['issued', []])
  assert.deepEqual(await change('suspend', [id]), [{ id, status: 'suspended' }])
  assert.deepEqual(await change('revoke', [id]), [{ id, status: 'revoked' }])
  assert.deepEqual([await entryStatus(issuanceId), await found(compact)], ['revoked', ['status.revoked']])
  const expected = ['credential.suspended', 'credential.reinstated', 'credential.suspended', 'credential.revoked']
  assert.deepEqual(await eventsOf(id), expected)
})

test('what is so already is no error and no second event; revocation is final [TS-33]', async () => {
  const { id } = await issued()
  assert.deepEqual(await change('reinstate', [id]), [{ id, status: 'issued' }])
  for (let time = 0; time < 3; time += 1) assert.deepEqual(await change('revoke', [id]), [{ id, status: 'revoked' }])
  for (const verb of ['suspend', 'reinstate']) {
    const [result] = await change(verb, [id])
    assert.deepEqual([result.status, result.code], ['revoked', 'INVALID_STATE'])
    assert.match(result.detail, /final/)
  }
  assert.deepEqual(await eventsOf(id), ['credential.revoked'])
})

test('all copies of a batch change together, and no other credential does', async () => {
  const batch = await issued({ batchSize: 4 }, 4)
  const other = await issued()
  await change('suspend', [other.id])
  await change('revoke', [batch.id])
  for (const compact of batch.compacts) assert.deepEqual(await found(compact), ['status.revoked'])
  assert.deepEqual(await found(other.compacts[0] ?? ''), ['status.suspended'])
})

test('each id has a result of its own: what may not change is refused with a code, the rest is done', async () => {
  const good = await issued()
  const fixed = await issued({ revocable: false })
  const open = await anOffer(issuer)
  const openId = open.issuance.credentials[0].id
  const stranger = newId()
  const ids = [fixed.id, stranger, good.issuanceId, openId, good.id.toUpperCase(), good.id]
  const results = await change('revoke', ids)
  assert.deepEqual(
    results.map(({ id }: Body) => id),
    ids,
  )
  assert.deepEqual(
    results.map(({ status, code }: Body) => [status, code]),
    [
      ['issued', 'INVALID_STATE'],
      ['unknown', 'NOT_FOUND'],
      ['unknown', 'VALIDATION_ERROR'],
      ['offered', 'INVALID_STATE'],
      ['revoked', undefined],
      ['revoked', undefined],
    ],
  )
  assert.match(results[2].detail, new RegExp(good.id))
  assert.deepEqual(results[2].credentialIds, [good.id])
  assert.match(results[0].detail, /not revocable/)
  assert.match(results[3].detail, /cancel/)
})

test('a credential of another tenant is unknown, and stays as it is', async () => {
  const { id, issuanceId, compacts } = await issued()
  const other = await issuer.anotherTenant()
  for (const named of [id, issuanceId]) {
    const [result] = await change('revoke', [named], other)
    assert.deepEqual([result.status, result.code, result.credentialIds], ['unknown', 'NOT_FOUND', undefined])
  }
  assert.deepEqual(await found(compacts[0] ?? ''), [])
})

for (const [what, body] of [
  ['no ids', { ids: [] }],
  ['1,001 ids', { ids: Array.from({ length: 1001 }, () => newId()) }],
  ['an id that is none', { ids: ['4711'] }],
  ['nothing', {}],
] as const) {
  test(`a change of ${what} is refused as a whole`, async () => {
    const { status, body: answered } = await issuer.api('POST', '/credentials/revoke', body)
    assert.deepEqual([status, answered.errors[0].code], [400, 'VALIDATION_ERROR'])
  })
}

test('1,000 credentials are changed by one call, with an event each', async () => {
  const { id } = await issued()
  const ids = [...Array.from({ length: 999 }, () => newId()), id]
  const results = await change('suspend', ids)
  assert.equal(results.length, 1000)
  assert.deepEqual(results.at(-1), { id, status: 'suspended' })
})

test('what the holder reports meanwhile shows when a suspension ends', async () => {
  const made = await aToken(issuer)
  const { body } = await request(issuer, made.token, made.template.code, [aKey()])
  const id = made.issuance.credentials[0].id
  await change('suspend', [id])
  const reported = await issuer.open(`/issuers/${issuer.tenant.slug}/notification`, {
    json: { notification_id: body.notification_id, event: 'credential_accepted' },
    headers: { authorization: `Bearer ${made.token}` },
  })
  assert.equal(reported.status, 204)
  assert.equal(await entryStatus(made.issuance.id), 'suspended')
  assert.deepEqual(await change('reinstate', [id]), [{ id, status: 'accepted' }])
})

test('a reason is kept with the credential and in its audit entry until it is reinstated', async () => {
  const { id, issuanceId } = await issued()
  const reasonOf = async () => (await issuer.api('GET', `/credentials/${issuanceId}`)).body.data.reason
  const suspended = await issuer.api('POST', '/credentials/suspend', { ids: [id], reason: 'lost' })
  assert.deepEqual(suspended.body.data.results, [{ id, status: 'suspended' }])
  assert.equal(await reasonOf(), 'lost')
  await change('reinstate', [id])
  assert.equal(await reasonOf(), undefined)
  await issuer.api('POST', '/credentials/revoke', { ids: [id], reason: 'mistake' })
  assert.equal(await reasonOf(), 'mistake')
  const details = sql(
    'test.standing.details',
    `select action, detail ->> 'reason' as reason from audit_entry where tenant_id = $1 and subject_id = $2 order by id`,
  )
  const rows = await issuer.platform.store.single(issuer.tenant.id, (tx) => tx.rows(details, [issuer.tenant.id, id]))
  assert.deepEqual(rows, [
    { action: 'credential.suspended', reason: 'lost' },
    { action: 'credential.reinstated', reason: null },
    { action: 'credential.revoked', reason: 'mistake' },
  ])
  for (const [verb, reason] of [
    ['revoke', 'because'],
    ['reinstate', 'lost'],
  ] as const) {
    assert.equal((await issuer.api('POST', `/credentials/${verb}`, { ids: [id], reason })).status, 400)
  }
})

test('many are changed by a filter, each with its result, and only those that allow it', async () => {
  const { id, issuanceId } = await issued()
  const { body } = await issuer.api('GET', `/credentials/${issuanceId}`)
  const filter = { templateId: body.data.credentials[0].credentialTemplateId }
  const by = async (verb: string, ask: object) => issuer.api('POST', `/credentials/${verb}`, ask)
  const opened = { credentialTemplateId: filter.templateId, attributes: { given_name: 'Thandi' } }
  assert.equal((await issuer.api('POST', '/credentials/issuance', opened)).status, 200)
  const first = await by('suspend', { filter })
  assert.deepEqual([first.body.data.results, first.body.meta.more], [[{ id, status: 'suspended' }], false])
  assert.deepEqual((await by('suspend', { filter })).body.data.results, [])
  assert.deepEqual((await by('revoke', { filter: { ...filter, recipient: 'nobody' } })).body.data.results, [])
  assert.deepEqual((await by('revoke', { filter })).body.data.results, [{ id, status: 'revoked' }])
  for (const ask of [{}, { filter: {} }, { filter, ids: [id] }]) assert.equal((await by('revoke', ask)).status, 400)
  const other = await issuer.anotherTenant()
  const theirs = await issuer.api('POST', '/credentials/reinstate', { filter }, other)
  assert.deepEqual(theirs.body.data.results, [])
})
