// People who were mailed an offer and have not taken it are reminded.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { startWorker } from '../../jobs/worker.ts'
import { aMailServer, type MailServer } from '../../mail/test-support/mail-server.ts'
import { sql } from '../../store/store.ts'
import { batchJobs } from '../batches/jobs.ts'
import { issuanceSchedules } from '../issuances/jobs.ts'
import { offerMailJobs } from '../mails/jobs.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  anOffer,
  aTemplate,
  type Issuer,
  noDeliveries,
  redeem,
  request,
  someClaims,
} from '../test-support/issuer.ts'

const DAY_MS = 86_400_000

let db: TestDatabase
let mails: MailServer
before(async () => {
  db = await aDatabase()
  mails = await aMailServer()
})
after(async () => {
  await db.close()
  await mails.close()
})

const mailing = () => anIssuer(db, undefined, { smtpUrl: mails.url })
const to = (address: string, language = 'en') => ({ mail: { address, language } })
const mailsTo = (address: string) => mails.mails.filter((one) => one.to.includes(`<${address}>`))
const later = ({ clock }: Issuer, ms: number) => {
  clock.at = new Date(clock.at.getTime() + ms)
}
const remind = ({ api }: Issuer, id: string) => api('POST', `/credentials/issuance/${id}/reminder`)
const remindBatch = ({ api }: Issuer, id: string) => api('POST', `/credentials/issuance/batch/${id}/reminder`)
const openOffers = ({ api }: Issuer, id: string) => api('GET', `/credentials/issuance/batch/${id}/reminder`)

/** Runs the workers until no mail waits. */
async function mailAll(issuer: Issuer): Promise<void> {
  const jobs = [...batchJobs(noDeliveries), ...offerMailJobs]
  const worker = startWorker(issuer.platform, jobs, [], { pollMs: 20 })
  await until(async () => (await countOf(issuer, waiting)) === 0)
  await worker.stop()
}

const waiting = sql('test.reminders.jobs', 'select count(*)::int as count from job where tenant_id = $1')
const addresses = sql(
  'test.reminders.addresses',
  'select count(*)::int as count from offer_mail where tenant_id = $1 and sealed_mail is not null',
)
const reminded = sql(
  'test.reminders.audit',
  `select subject_id as id, detail from audit_entry where tenant_id = $1 and action = 'issuance.reminded' order by id`,
)

async function countOf({ platform, tenant }: Issuer, statement: typeof waiting): Promise<number> {
  const [row] = await platform.store.single(tenant.id, (tx) => tx.rows<{ count: number }>(statement, [tenant.id]))
  return row?.count ?? 0
}

test('an open offer is mailed again to the same person, a day after its last mail, and the mail says so', async () => {
  const issuer = await mailing()
  const { issuance } = await anOffer(issuer, {}, to('aya@example.org', 'fr'))
  assert.equal((await remind(issuer, issuance.id)).status, 409, 'its mail waits')
  await mailAll(issuer)
  later(issuer, DAY_MS - 1000)
  assert.equal((await remind(issuer, issuance.id)).status, 409, 'it was mailed within a day')
  later(issuer, 1000)
  const answers = await Promise.all([remind(issuer, issuance.id), remind(issuer, issuance.id)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  assert.equal(answers.find(({ status }) => status === 200)?.body.data.offerMail.state, 'queued')
  await mailAll(issuer)
  const subjects = mailsTo('aya@example.org').map(({ raw }) => /Rappel/.test(decoded(raw)))
  assert.deepEqual(subjects, [false, true])
  assert.match(decoded(mailsTo('aya@example.org')[1]?.raw ?? ''), /pas encore pris/)
  const entries = await issuer.platform.store.single(issuer.tenant.id, (tx) => tx.rows(reminded, [issuer.tenant.id]))
  assert.partialDeepStrictEqual(entries, [{ id: issuance.id }])
  assert.equal(entries.length, 1)
})

test('nobody is reminded of what was taken, has ended or was not mailed, and no address is kept of it', async () => {
  const issuer = await mailing()
  const taken = await anOffer(issuer, {}, to('taken@example.org'))
  const canceled = await anOffer(issuer, {}, to('canceled@example.org'))
  const ended = await anOffer(issuer, {}, { ...to('ended@example.org'), expiresInSeconds: 90_000 })
  const open = await anOffer(issuer, {}, to('open@example.org'))
  const unmailed = await anOffer(issuer, {}, { expiresInSeconds: 604_800 })
  await mailAll(issuer)
  assert.equal(await countOf(issuer, addresses), 4)
  const { body } = await redeem(issuer, taken.code)
  assert.equal((await request(issuer, body.access_token, taken.template.code, [aKey()])).status, 200)
  await issuer.api('DELETE', `/credentials/${canceled.issuance.id}`)
  later(issuer, DAY_MS + 7_200_000)
  for (const { name, run } of issuanceSchedules) {
    if (name === 'issuance.forget-claims') await run(issuer.platform, new AbortController().signal)
  }
  assert.equal(await countOf(issuer, addresses), 1)
  for (const { issuance } of [taken, canceled, ended, unmailed]) {
    assert.equal((await remind(issuer, issuance.id)).status, 409)
  }
  assert.equal((await remind(issuer, open.issuance.id)).status, 200)
})

test('a batch reminds those alone who have not taken theirs', async () => {
  const issuer = await mailing()
  const { body: template } = await issuer.api('POST', '/templates/credentials', aTemplate())
  const items = ['a', 'b', 'c'].map((name) => ({ attributes: someClaims, ...to(`${name}@batch.example`) }))
  const asked = { credentialTemplateId: template.data.id, items: [...items, { attributes: someClaims }] }
  const { id } = (await issuer.api('POST', '/credentials/issuance/batch', asked)).body.data
  await mailAll(issuer)
  assert.deepEqual((await remindBatch(issuer, id)).body.data, { reminded: 0, more: false })
  assert.deepEqual((await openOffers(issuer, id)).body.data, { open: 4, due: 0 })
  const listed = (await issuer.api('GET', `/credentials/issuance/batch/${id}`)).body.data.items
  await issuer.api('DELETE', `/credentials/${listed[1].issuanceId}`)
  later(issuer, DAY_MS)
  assert.deepEqual((await openOffers(issuer, id)).body.data, { open: 2, due: 2 }, 'links last an hour')
  assert.deepEqual((await remindBatch(issuer, id)).body.data, { reminded: 2, more: false })
  assert.deepEqual((await openOffers(issuer, id)).body.data, { open: 2, due: 0 })
  assert.deepEqual((await remindBatch(issuer, id)).body.data, { reminded: 0, more: false })
  await mailAll(issuer)
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => mailsTo(`${name}@batch.example`).length),
    [2, 1, 2],
  )
  const batch = (await issuer.api('GET', `/credentials/issuance/batch/${id}`)).body.data
  assert.partialDeepStrictEqual(batch.mails, { sent: 3, failed: 0 })
})

test('a reminder is refused without a mail server, and of what the tenant does not have', async () => {
  const plain = await anIssuer(db)
  const { issuance } = await anOffer(plain)
  const refused = await remind(plain, issuance.id)
  assert.equal(refused.status, 409)
  assert.match(refused.body.errors[0].detail, /sends no mail/)
  const issuer = await mailing()
  for (const ask of [remind, remindBatch, openOffers]) assert.equal((await ask(issuer, issuance.id)).status, 404)
})

/** A mail as text: its header words and its body decoded. */
function decoded(raw: string): string {
  const words = raw.replaceAll(/=\?utf-8\?b\?([^?]+)\?=/gi, (_, text: string) => Buffer.from(text, 'base64').toString())
  const plain = words
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const body = raw.slice(raw.search(/\r?\n\r?\n/))
  return `${plain}\n${Buffer.from(body.replaceAll(/\s/g, ''), 'base64').toString()}`
}
