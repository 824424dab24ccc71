import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { type Store, sql } from '../../store/store.ts'
import { replaceCredentialTemplate } from '../templates/credential-templates.ts'
import {
  aDatabase,
  aKey,
  aNonce,
  anIssuer,
  anOffer,
  aTemplate,
  aToken,
  callerOf,
  codeOf,
  type Issuer,
  noon,
  redeem,
  request,
} from '../test-support/issuer.ts'
import { issuanceSchedules } from './jobs.ts'

const ROUNDS = 8

let db: TestDatabase
let issuer: Issuer
let twin: Issuer
before(async () => {
  db = await aDatabase()
  // two processes on one database: each has its own memory of templates, tokens and tenants
  issuer = await anIssuer(db)
  const reopened = { store: Object.create(db.store) as TestDatabase['store'] }
  twin = await anIssuer(reopened)
})
after(async () => {
  await twin.server.close(0)
  await issuer.server.close(0)
  await db.close()
})

const kept = sql('test.races.kept', 'select sealed_claims is not null as kept from issuance where id = $1')
async function claimsKept(id: string): Promise<boolean> {
  const [row] = await db.store.single(issuer.tenant.id, (tx) => tx.rows<{ kept: boolean }>(kept, [id]))
  return row?.kept === true
}
function rounds<T>(play: (round: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: ROUNDS }, (_, round) => play(round)))
}

test('a cancellation comes before the credential or after it: never both, never neither', async () => {
  const ends = await rounds(async () => {
    const { token, template, issuance } = await aToken(issuer)
    const nonce = await aNonce(issuer)
    const [issued, canceled] = await Promise.all([
      request(twin, token, template.code, [aKey()], { nonce, tenant: issuer.tenant }),
      issuer.api('DELETE', `/credentials/${issuance.id}`),
    ])
    const { body } = await issuer.api('GET', `/credentials/${issuance.id}`)
    assert.deepEqual([issued.status, canceled.status].sort(), issued.status === 200 ? [200, 409] : [200, 400])
    assert.equal(body.data.status, issued.status === 200 ? 'completed' : 'canceled')
    assert.equal(await claimsKept(issuance.id), issued.status === 200)
    return issued.status
  })
  assert.equal(ends.length, ROUNDS)
})

test('a cancellation and a redemption at one moment leave no token that is good for anything', async () => {
  const tokens = await rounds(async (round) => {
    const { code, template, issuance } = await anOffer(issuer)
    const redemption = redeem(twin, code, {}, issuer.tenant)
    // in one round the redemption is first, whatever the database does with the others
    if (round === 0) await redemption
    const [granted, canceled] = await Promise.all([redemption, issuer.api('DELETE', `/credentials/${issuance.id}`)])
    assert.equal(canceled.status, 200, 'nothing was handed out yet')
    if (granted.status === 200) {
      const reply = await request(twin, granted.body.access_token, template.code, [aKey()], { tenant: issuer.tenant })
      assert.equal(reply.body.error, 'credential_request_denied')
    }
    assert.equal(await claimsKept(issuance.id), false)
    return granted.status
  })
  assert.equal(tokens[0], 200)
})

test('right and wrong transaction codes at one moment: one token at most, and never after five wrong ones', async () => {
  await rounds(async () => {
    const { code, issuance } = await anOffer(issuer, { txCode: {} })
    const wrong = issuance.txCode === '000000' ? '000001' : '000000'
    const codes = [...Array.from({ length: 6 }, () => wrong), issuance.txCode, issuance.txCode]
    const replies = await Promise.all(
      codes.map((txCode, at) => redeem(at % 2 === 0 ? issuer : twin, code, { tx_code: txCode }, issuer.tenant)),
    )
    const tokens = replies.filter(({ status }) => status === 200).length
    const { body } = await issuer.api('GET', `/credentials/${issuance.id}`)
    assert.deepEqual([tokens, body.data.status].join(' '), body.data.status === 'failed' ? '0 failed' : '1 offered')
  })
})

test('a template that changes while it is issued from gives old or new credentials, never a mixture and never a defect', async () => {
  const made = await issuer.api('POST', '/templates/credentials', aTemplate({ attributes: { v0: { type: 'string' } } }))
  const { id, code } = made.body.data
  const replaced = (version: number) =>
    issuer.api('PUT', `/templates/credentials/${id}`, {
      ...aTemplate({ attributes: { [`v${version}`]: { type: 'string' } } }),
      code,
    })
  const opened = async (name: string, by: Issuer) =>
    by.api('POST', '/credentials/issuance', { credentialTemplateId: id, attributes: { [name]: 'x' } }, issuer.tenant)
  const answers = await Promise.all([
    ...Array.from({ length: 12 }, (_, at) => opened('v0', at % 2 === 0 ? issuer : twin)),
    replaced(1),
    ...Array.from({ length: 12 }, (_, at) => opened('v1', at % 2 === 0 ? issuer : twin)),
  ])
  for (const { status, body } of answers) assert.ok([200, 400, 409].includes(status), JSON.stringify(body))
  for (const { status, body } of answers.filter((one) => one.body.data?.offerUri !== undefined)) {
    assert.equal(status, 200)
    const granted = await redeem(issuer, await codeOf(issuer, body.data.offerUri))
    const reply = await request(issuer, granted.body.access_token, code, [aKey()])
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
  }
})

/**
 * A store whose first statement is answered only when `all` first statements were answered: everyone reads before
 * anyone writes.
 */
function readingTogether(store: Store, all: number): () => Store {
  const everyone = Promise.withResolvers<void>()
  let answered = 0
  return () => {
    let isFirst = true
    const single: Store['single'] = async (tenantId, work) => {
      const waits = isFirst
      isFirst = false
      const made = await store.single(tenantId, work)
      if (waits) {
        answered += 1
        if (answered === all) everyone.resolve()
        await everyone.promise
      }
      return made
    }
    return { ...store, single }
  }
}

test('of concurrent replacements of one template, which all read the same version, one is written', async () => {
  const made = await issuer.api('POST', '/templates/credentials', aTemplate())
  const { id, code } = made.body.data
  const store = readingTogether(issuer.platform.store, ROUNDS)
  const outcomes = await rounds(async (round) => {
    const body = { ...aTemplate(), name: `Version ${round}`, code }
    const caller = callerOf(issuer.tenant)
    const replacement = replaceCredentialTemplate({ ...issuer.platform, store: store() }, caller, id, body)
    return replacement.then(
      ({ name }) => name,
      (error) => error.code as string,
    )
  })
  const written = outcomes.filter((one) => one !== 'state.conflict')
  assert.equal(written.length, 1, String(outcomes))
  const { body: seen } = await issuer.api('GET', `/templates/credentials/${id}`)
  assert.equal(seen.data.name, written[0])
})

test('sweeps at one moment in two processes end each issuance once', async () => {
  const offers = await rounds(() => anOffer(issuer, {}, { expiresInSeconds: 60 }))
  for (const one of [issuer, twin]) one.clock.at = new Date(noon.getTime() + 60_000)
  const signal = new AbortController().signal
  await Promise.all([issuer, twin].flatMap(({ platform }) => issuanceSchedules.map((one) => one.run(platform, signal))))
  for (const one of [issuer, twin]) one.clock.at = noon
  const ended = sql(
    'test.races.ended',
    `select count(*)::int as ended from audit_entry where event_type = 'openid4vc.issuance.expired' and subject_id = any($1::text[])`,
  )
  const ids = offers.map(({ issuance }) => issuance.id)
  const [row] = await db.store.single(issuer.tenant.id, (tx) => tx.rows<{ ended: number }>(ended, [ids]))
  assert.equal(row?.ended, ROUNDS)
  for (const id of ids) assert.equal(await claimsKept(id), false)
})

test('[SEC-73] no table holds a claim, a code, a token or a nonce in the clear, before or after', async () => {
  const secrets: string[] = ['Quirinalda']
  const tenant = await issuer.anotherTenant()
  const { code, issuance, template } = await anOffer(
    issuer,
    { txCode: { length: 12 } },
    { attributes: { given_name: 'Quirinalda' } },
    tenant,
  )
  const { body } = await redeem(issuer, code, { tx_code: issuance.txCode }, tenant)
  const nonce = await aNonce(issuer, tenant)
  secrets.push(code, issuance.txCode, body.access_token, nonce)
  const key = aKey()
  const reply = await request(issuer, body.access_token, template.code, [key], { nonce, tenant })
  assert.equal(reply.status, 200)
  secrets.push(reply.body.credentials[0].credential)
  const tables = sql('test.races.tables', `select tablename as name from pg_tables where schemaname = 'public'`)
  const names = (await db.store.single(tenant.id, (tx) => tx.rows<{ name: string }>(tables, []))).map((one) => one.name)
  assert.ok(names.includes('issuance') && names.includes('audit_entry'))
  for (const name of names) {
    const search = sql(
      `test.races.in_${name}`,
      `select count(*)::int as hits from ${name} t where exists (select from unnest($1::text[]) s where strpos(t::text, s) > 0)`,
    )
    const [row] = await db.store
      .single(tenant.id, (tx) => tx.rows<{ hits: number }>(search, [secrets]))
      .catch(refusedTable)
    assert.equal(row?.hits, 0, name)
  }
})

/** A table that the application may not read at all. */
function refusedTable(error: unknown): { hits: number }[] {
  assert.match(String(error), /permission denied/)
  return [{ hits: 0 }]
}
