// What an organisation keeps of the credentials that people hold: a correction begins with it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { startWorker } from '../../jobs/worker.ts'
import { sql } from '../../store/store.ts'
import { batchJobs } from '../batches/jobs.ts'
import { issuanceSchedules } from '../issuances/jobs.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  anOffer,
  aTemplate,
  aToken,
  type Issuer,
  noDeliveries,
  readerOf,
  request,
  someClaims,
  type Tenant,
} from '../test-support/issuer.ts'
import { keptAttributesSchedules } from './jobs.ts'

const DAY_MS = 86_400_000
const setStatement = sql('test.kept.setting', 'update tenant set settings = $2 where id = $1')
const countStatement = sql(
  'test.kept.count',
  'select count(*)::int as count from issuance_attributes where tenant_id = $1',
)
const readStatement = sql(
  'test.kept.read',
  `select subject_id as "subjectId" from audit_entry
   where tenant_id = $1 and action = 'issuance.attributes_viewed'`,
)

let db: TestDatabase
before(async () => {
  db = await aDatabase()
})
after(() => db.close())

async function set({ platform, clock }: Issuer, { id }: Tenant, heldAttributes: string): Promise<void> {
  await platform.store.across('a setting', (tx) => tx.rows(setStatement, [id, JSON.stringify({ heldAttributes })]))
  // What is known of a tenant is up to 5 s old.
  clock.at = new Date(clock.at.getTime() + 6000)
}

async function keeping(): Promise<Issuer> {
  const issuer = await anIssuer(db)
  await set(issuer, issuer.tenant, 'kept')
  return issuer
}

const read = ({ api }: Issuer, id: string, as?: Tenant) =>
  api('GET', `/credentials/issuance/${id}/attributes`, undefined, as)

async function held(issuer: Issuer) {
  const { token, template, issuance } = await aToken(issuer)
  const { status, body } = await request(issuer, token, template.code, [aKey()])
  assert.equal(status, 200)
  const report = (event: string) =>
    issuer.open(`/issuers/${issuer.tenant.slug}/notification`, {
      json: { notification_id: body.notification_id, event },
      headers: { authorization: `Bearer ${token}` },
    })
  return { id: issuance.id as string, templateId: template.id as string, report }
}

async function countOf({ platform, tenant }: Issuer): Promise<number> {
  const [row] = await platform.store.single(tenant.id, (tx) => tx.rows<{ count: number }>(countStatement, [tenant.id]))
  return row?.count ?? 0
}

async function forget(issuer: Issuer, ms: number): Promise<void> {
  issuer.clock.at = new Date(issuer.clock.at.getTime() + ms)
  for (const { name, run } of [...issuanceSchedules, ...keptAttributesSchedules])
    if (/attributes|claims/.test(name)) await run(issuer.platform, new AbortController().signal)
}

test('of a held credential nothing is there once its token has ended, unless the organisation keeps it', async () => {
  const [erasing, issuer] = [await anIssuer(db), await keeping()]
  const [gone, kept] = [await held(erasing), await held(issuer)]
  assert.equal((await read(erasing, gone.id)).status, 200, 'the wallet may still ask again')
  await forget(erasing, DAY_MS)
  await forget(issuer, DAY_MS)
  assert.equal((await read(erasing, gone.id)).status, 409)
  const { status, body } = await read(issuer, kept.id)
  assert.equal(status, 200)
  assert.deepEqual(body.data, { credentialTemplateId: kept.templateId, attributes: someClaims })
  const audited = await issuer.platform.store.single(issuer.tenant.id, (tx) =>
    tx.rows(readStatement, [issuer.tenant.id]),
  )
  assert.partialDeepStrictEqual(audited, [{ subjectId: kept.id }])
  assert.equal(audited.length, 1)
})

test('it is what the items of a batch have too', async () => {
  const issuer = await keeping()
  const { body } = await issuer.api('POST', '/templates/credentials', aTemplate())
  const items = ['Ada', 'Ben'].map((name) => ({ attributes: { ...someClaims, given_name: name } }))
  const asked = { credentialTemplateId: body.data.id, items }
  const { id } = (await issuer.api('POST', '/credentials/issuance/batch', asked)).body.data
  const worker = startWorker(issuer.platform, batchJobs(noDeliveries), [], { pollMs: 20 })
  await until(
    async () => (await issuer.api('GET', `/credentials/issuance/batch/${id}`)).body.data.status === 'completed',
  )
  await worker.stop()
  assert.equal(await countOf(issuer), 2)
  const [, second] = (await issuer.api('GET', `/credentials/issuance/batch/${id}/items`)).body.data
  assert.equal((await read(issuer, second.issuanceId)).body.data.attributes.given_name, 'Ben')
})

test('it ends with the offer, with a rejection by the holder, and with the revocation of the credential', async () => {
  const issuer = await keeping()
  const canceled = await anOffer(issuer)
  const expired = await anOffer(issuer)
  const [rejected, revoked, stays] = [await held(issuer), await held(issuer), await held(issuer)]
  assert.equal(await countOf(issuer), 5)
  await issuer.api('DELETE', `/credentials/${canceled.issuance.id}`)
  assert.equal(await countOf(issuer), 4)
  const { credentials } = (await issuer.api('GET', `/credentials/${revoked.id}`)).body.data
  assert.equal((await issuer.api('POST', '/credentials/suspend', { ids: [credentials[0].id] })).status, 200)
  assert.equal(await countOf(issuer), 4)
  assert.equal((await issuer.api('POST', '/credentials/revoke', { ids: [credentials[0].id] })).status, 200)
  assert.equal(await countOf(issuer), 3)
  assert.equal((await rejected.report('credential_deleted')).status, 204)
  assert.equal(await countOf(issuer), 2)
  assert.equal((await stays.report('credential_accepted')).status, 204)
  await forget(issuer, 40 * DAY_MS)
  assert.deepEqual([await countOf(issuer), (await read(issuer, expired.issuance.id)).status], [1, 409])
  assert.equal((await read(issuer, stays.id)).status, 200)
})

test('an organisation that keeps it no longer has it no longer: at once for reading, and the sweep erases it', async () => {
  const issuer = await keeping()
  const { id } = await held(issuer)
  await forget(issuer, DAY_MS)
  await set(issuer, issuer.tenant, 'erased')
  assert.equal((await read(issuer, id)).status, 409)
  await forget(issuer, 0)
  assert.equal(await countOf(issuer), 0)
  await set(issuer, issuer.tenant, 'kept')
  assert.equal((await read(issuer, id)).status, 409)
})

test('nobody else reads it: another organisation, or who may not issue', async () => {
  const issuer = await keeping()
  const { id } = await held(issuer)
  const other = await issuer.anotherTenant()
  assert.equal((await read(issuer, id, other)).status, 404)
  const reader = { ...issuer.tenant, slug: readerOf(issuer.tenant) }
  assert.equal((await read(issuer, id, reader)).status, 403)
})
