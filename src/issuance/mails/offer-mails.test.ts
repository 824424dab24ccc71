import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import type { Config } from '../../config.ts'
import { startWorker, type Worker } from '../../jobs/worker.ts'
import { aMailServer, type MailServer, textOf } from '../../mail/test-support/mail-server.ts'
import { openStore } from '../../store/opening/open-store.ts'
import { type Sql, type Store, sql } from '../../store/store.ts'
import { batchJobs } from '../batches/jobs.ts'
import {
  aDatabase,
  anIssuer,
  anOffer,
  aTemplate,
  type Issuer,
  noDeliveries,
  redeem,
  someClaims,
} from '../test-support/issuer.ts'
import { offerMailJobs, offerMailSchedules, resumeMails } from './jobs.ts'
import { failedOfferMails, mailOfferJob } from './mail-offer.ts'

let db: TestDatabase
/** That of a second process. */
let secondStore: Store
let mails: MailServer
let settings: Partial<Config>
before(async () => {
  db = await aDatabase()
  const opening = { databaseUrl: db.url, dataDir: null, poolMax: 5, onIdleError: () => undefined }
  secondStore = db.url === null ? db.store : await openStore(opening)
  mails = await aMailServer()
  settings = { smtpUrl: mails.url }
})
after(async () => {
  if (secondStore !== db.store) await secondStore.close()
  await db.close()
  await mails.close()
})

const mailRows = sql(
  'test.mail.rows',
  'select id, state, reason, sealed_mail, revision from offer_mail where tenant_id = $1 order by id',
)
const audited = sql(
  'test.mail.audit',
  `select action, detail from audit_entry where tenant_id = $1 and action like 'issuance.offer_mail%' order by id`,
)
const rename = sql('test.mail.rename', 'update tenant set name = $2, settings = $3::jsonb where id = $1 returning id')
const setRevision = sql('test.mail.revision', 'update offer_mail set revision = 10 where tenant_id = $1 returning id')

type MailRow = { id: string; state: string; reason: string | null; sealed_mail: Buffer | null; revision: number }

function rowsOf<T>({ platform, tenant }: Issuer, statement: Sql, ...values: unknown[]): Promise<T[]> {
  return platform.store.single(tenant.id, (tx) => tx.rows<T>(statement, [tenant.id, ...values]))
}

const mailsOf = (issuer: Issuer) => rowsOf<MailRow>(issuer, mailRows)
const mailingIssuer = (store: Store = db.store, tenant?: Issuer['tenant']) =>
  anIssuer({ store }, undefined, settings, tenant)

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail('it did not happen')
}

/** Runs the workers that the roof starts for mails, while `work` runs. */
async function withMailWorkers(issuers: readonly Issuer[], work: () => Promise<void>): Promise<void> {
  const options = { pollMs: 20, concurrency: 4, ofTenantMax: 2 }
  const workers: Worker[] = issuers.map(({ platform }) => startWorker(platform, offerMailJobs, [], options))
  await work().finally(() => Promise.all(workers.map((one) => one.stop())))
}

async function settled(issuer: Issuer): Promise<MailRow[]> {
  await until(async () => (await mailsOf(issuer)).every(({ state }) => state !== 'queued'))
  return mailsOf(issuer)
}

const to = (address: string, language?: string) => ({ mail: { address, ...(language && { language }) } })
const mailFor = (address: string) => mails.mails.filter((one) => one.to.includes(`<${address}>`))
test('an offer is mailed with its page, in the language of its reader, and its address is kept sealed while it is open', async () => {
  const issuer = await mailingIssuer()
  const display = { name: 'Diploma', locale: 'en', translations: [{ locale: 'fr-FR', name: 'Diplôme' }] }
  const template = { display, label: ['/given_name'], txCode: { length: 8 } }
  const french = await anOffer(issuer, template, to('aya@example.org', 'fr'))
  const english = await anOffer(issuer, {}, to('ben@example.org'))
  assert.deepEqual(french.issuance.offerMail, { state: 'queued', at: issuer.clock.at.toISOString() })
  assert.equal(
    (await mailsOf(issuer)).some(({ sealed_mail }) => sealed_mail?.includes('example.org')),
    false,
  )
  await withMailWorkers([issuer], async () => void (await settled(issuer)))
  assert.deepEqual(
    (await mailsOf(issuer)).map(({ state, sealed_mail }) => [state, sealed_mail?.includes('example.org')]),
    [
      ['sent', false],
      ['sent', false],
    ],
  )
  const [toAya] = mailFor('aya@example.org')
  const text = textOf(toAya?.raw ?? '')
  assert.ok(text.includes(french.issuance.offerPageUri) && text.includes('vous propose\u00a0: Diplôme.'), text)
  assert.match(text, /Un code vous sera demandé\. Il n’est pas dans ce message/)
  // [VCI-O8]
  assert.ok(french.issuance.txCode.length === 8 && !text.includes(french.issuance.txCode))
  assert.ok(!/Thandi|html/i.test(toAya?.raw ?? ''))
  const [toBen] = mailFor('ben@example.org')
  assert.match(
    textOf(toBen?.raw ?? ''),
    /Acme College offers you: Diploma\.[\s\S]*ends on May 8, 2026 at 12:00 PM \(UTC\)/,
  )
  assert.doesNotMatch(textOf(toBen?.raw ?? ''), /asked for a code/)
  const shown = (await issuer.api('GET', `/credentials/${english.issuance.id}`)).body.data
  assert.deepEqual(shown.offerMail, { state: 'sent', at: issuer.clock.at.toISOString() })
  const listed = (await issuer.api('GET', '/credentials')).body.data
  assert.deepEqual(listed.map((one: { label?: string }) => one.label).sort(), ['Thandi', undefined])
  assert.deepEqual(
    (await rowsOf<{ action: string }>(issuer, audited)).map(({ action }) => action),
    ['issuance.offer_mailed', 'issuance.offer_mailed'],
  )
})

const WEEK = 604_800
const secondsUntil = ({ clock }: Issuer, at: string) => (Date.parse(at) - clock.at.getTime()) / 1000

test('an offer that is mailed lasts a week, unless its request or its organisation says otherwise', async () => {
  const plain = await mailingIssuer()
  const asked = { ...to('zola@example.org'), expiresInSeconds: 60 }
  const ends = async (issuer: Issuer, more: object) => {
    const { issuance } = await anOffer(issuer, {}, more)
    const again = (await issuer.api('POST', `/credentials/${issuance.id}/offer`, more)).body.data
    return [issuance, again].map(({ expiresAt }) => secondsUntil(issuer, expiresAt))
  }
  assert.deepEqual(await ends(plain, to('zola@example.org')), [WEEK, WEEK])
  assert.deepEqual(await ends(plain, {}), [600, 600])
  assert.deepEqual(await ends(plain, asked), [60, 60])
  const own = await mailingIssuer()
  await rowsOf(own, rename, 'Acme College', JSON.stringify({ offerTtlSeconds: 7200 }))
  assert.deepEqual(await ends(own, to('zola@example.org')), [7200, 7200])
  assert.deepEqual(await ends(own, {}), [7200, 7200])
  const template = (await own.api('POST', '/templates/credentials', aTemplate({ code: 'own' }))).body.data
  const path = '/credentials/issuance/batch'
  const batch = { credentialTemplateId: template.id, items: [{ attributes: someClaims }] }
  const { id } = (await own.api('POST', path, batch)).body.data
  const worker = startWorker(own.platform, batchJobs(noDeliveries), [], { pollMs: 20 })
  await until(async () => (await own.api('GET', `${path}/${id}`)).body.data.status === 'completed')
  await worker.stop()
  const [made] = (await own.api('GET', `/credentials?filter[batchId]=${id}`)).body.data
  assert.equal(secondsUntil(own, made.expiresAt), 7200)
})

test('names cannot add headers, recipients or lines, and addresses neither', async () => {
  const issuer = await mailingIssuer()
  const name = 'Evil\r\nBcc: all@example.org\r\n\r\nhidden\u202e'
  await rowsOf(issuer, rename, name, JSON.stringify({ mailFromName: name, languages: ['fr'] }))
  const { issuance } = await anOffer(issuer, { name: 'Card\nline' }, to('cleo@example.org'))
  await withMailWorkers([issuer], async () => void (await settled(issuer)))
  const [mail, ...more] = mailFor('cleo@example.org')
  const raw = mail?.raw ?? ''
  assert.equal(more.length, 0)
  const head = raw.slice(0, raw.indexOf('\n\n'))
  assert.doesNotMatch(head, /^bcc:/im)
  assert.match(textOf(raw), /Evil Bcc: all@example\.org hidden vous propose\u00a0: Card line\.\n/)
  assert.deepEqual((await issuer.api('GET', `/credentials/${issuance.id}`)).body.data.offerMail.state, 'sent')
  for (const address of [
    'a@example.org\r\nBcc: b@example.org',
    'a@example.org, b@example.org',
    '"a b"@example.org',
    'A <a@example.org>',
    `${'a'.repeat(65)}@example.org`,
    'a@localhost',
    'a',
  ]) {
    const body = { credentialTemplateId: issuance.credentials[0].credentialTemplateId, attributes: someClaims }
    const refused = await issuer.api('POST', '/credentials/issuance', { ...body, ...to(address) })
    assert.deepEqual([refused.status, refused.body.errors[0].source.pointer], [400, '/mail/address'], address)
  }
})

test('without a mail server, and for a delivered credential, a mail is refused before anything is made', async () => {
  const plain = await anIssuer(db)
  const template = (await plain.api('POST', '/templates/credentials', aTemplate())).body.data
  const one = { credentialTemplateId: template.id, attributes: someClaims, ...to('a@example.org') }
  const item = { attributes: someClaims, ...to('a@example.org') }
  const batch = { credentialTemplateId: template.id, items: [{ attributes: someClaims }, item] }
  for (const [path, body, pointer] of [
    ['/credentials/issuance', one, '/mail'],
    ['/credentials/issuance/batch', batch, '/items/1/mail'],
    ['/credentials/issuance/batch?check=true', batch, '/items/1/mail'],
  ] as const) {
    const { status, body: answer } = await plain.api('POST', path, body)
    assert.deepEqual([status, answer.errors[0].source.pointer], [400, pointer])
    assert.match(answer.errors[0].detail, /sends no mail/)
  }
  const { issuance } = await anOffer(plain)
  const again = await plain.api('POST', `/credentials/${issuance.id}/offer`, to('a@example.org'))
  assert.deepEqual([again.status, again.body.errors[0].source.pointer], [400, '/mail'])
  assert.equal((await plain.api('GET', '/credentials')).body.data.length, 1)
  const issuer = await mailingIssuer(db.store, plain.tenant)
  const recipient = { identifierType: 'username', value: 'thandi' }
  const both = await issuer.api('POST', '/credentials/issuance', { ...one, recipient })
  assert.deepEqual([both.status, both.body.errors[0].source.pointer], [400, '/mail'])
})

test('two processes mail each offer of a batch once; a bad row fails alone', async () => {
  const one = await mailingIssuer()
  const two = await mailingIssuer(secondStore, one.tenant)
  const template = (await one.api('POST', '/templates/credentials', aTemplate({ label: ['/degree', '/given_name'] })))
    .body.data
  const items = Array.from({ length: 40 }, (_, n) => ({ attributes: someClaims, ...to(`pupil-${n}@example.org`) }))
  const bad = [
    { attributes: someClaims, ...to('not an address') },
    { attributes: someClaims, ...to('x@example.org'), recipient: { identifierType: 'username', value: 'thandi' } },
  ]
  const path = '/credentials/issuance/batch'
  const body = { credentialTemplateId: template.id, items: [...items, ...bad, { attributes: someClaims }] }
  const checked = (await one.api('POST', `${path}?check=true`, body)).body.data
  assert.deepEqual([checked.valid, checked.invalid], [41, 2])
  assert.equal(checked.items[40].error.pointer, '/mail/address')
  const { id } = (await one.api('POST', path, body)).body.data
  const worker = startWorker(one.platform, batchJobs(noDeliveries), [], { pollMs: 20 })
  await withMailWorkers([one, two], async () => {
    await until(async () => (await one.api('GET', `${path}/${id}`)).body.data.status === 'completed')
    await settled(one)
  })
  await worker.stop()
  for (let n = 0; n < 40; n += 1) assert.equal(mailFor(`pupil-${n}@example.org`).length, 1)
  const batch = (await one.api('GET', `${path}/${id}`)).body.data
  assert.partialDeepStrictEqual(batch, { done: 41, failed: 2, mails: { queued: 0, sent: 40, failed: 0 } })
  assert.equal(batch.items[3].offerMail.state, 'sent')
  assert.deepEqual([batch.items[40].error.pointer, batch.items[41].error.pointer], ['/mail/address', '/mail'])
  assert.ok(!('offerMail' in batch.items[42]))
  const all = (await one.api('GET', '/credentials?page[size]=100')).body.data
  const ends = all.map((shown: { expiresAt: string }) => secondsUntil(one, shown.expiresAt))
  assert.deepEqual([ends.length, ends.filter((end: number) => end === WEEK).length, Math.min(...ends)], [41, 40, 600])
  const [first] = all
  assert.equal(first.label, 'BSc Thandi')
})

test('columns of a table name addresses and languages', async () => {
  const issuer = await mailingIssuer()
  const template = (await issuer.api('POST', '/templates/credentials', aTemplate())).body.data
  const check = async (table: string, columns: object) => {
    const query = new URLSearchParams({ check: 'true', credentialTemplateId: template.id })
    query.set('columns', JSON.stringify(columns))
    const headers = { 'content-type': 'text/csv', authorization: `Bearer ${issuer.tenant.slug}` }
    const path = `/creds/credentials/issuance/batch?${query}`
    const { status, body } = await issuer.server.dispatch({ method: 'POST', path, headers, body: table })
    return { status, body: JSON.parse(body.toString()) }
  }
  const table = 'given_name,Mail,Lang\nAya,aya@example.org,fr\nBen,ben,\nCleo,,\nDan,dan@example.org,nl\n'
  const { body } = await check(table, { Mail: 'mail.address', Lang: 'mail.language' })
  assert.deepEqual(
    body.data.items.map(({ status, error }: { status: string; error?: { column: string } }) => [status, error?.column]),
    [
      ['valid', undefined],
      ['invalid', 'mail.address'],
      ['valid', undefined],
      ['invalid', 'mail.language'],
    ],
  )
  const alone = await check('given_name,Lang\nAya,fr\n', { Lang: 'mail.language' })
  assert.equal(alone.status, 400)
})

test('a mail server that refuses or says nothing delays no issuance, and what happened is told', async () => {
  const issuer = await anIssuer(db, undefined, { smtpUrl: `${mails.url}?greetingTimeout=2000` })
  mails.refuses = true
  const refused = await anOffer(issuer, {}, to('refused@example.org'))
  await withMailWorkers([issuer], async () => void (await settled(issuer)))
  mails.refuses = false
  const shown = async (id: string) => (await issuer.api('GET', `/credentials/${id}`)).body.data.offerMail
  assert.partialDeepStrictEqual(await shown(refused.issuance.id), { state: 'failed', reason: 'refused' })
  await anOffer(issuer, {}, {})
  const unsent = (await issuer.api('GET', '/credentials?filter[hasFailedMail]=true')).body.data as { id: string }[]
  assert.deepEqual(
    unsent.map(({ id }) => id),
    [refused.issuance.id],
  )

  mails.isSilent = true
  try {
    const { template, issuance } = await anOffer(issuer, {}, to('silent@example.org'))
    for (let n = 0; n < 5; n += 1) await anOffer(issuer, {}, to(`silent-${n}@example.org`))
    const batch = { credentialTemplateId: template.id, items: [{ attributes: someClaims }] }
    const worker = startWorker(issuer.platform, batchJobs(noDeliveries), [], { pollMs: 20 })
    await withMailWorkers([issuer], async () => {
      const { id } = (await issuer.api('POST', '/credentials/issuance/batch', batch)).body.data
      await until(async () => (await issuer.api('GET', `/credentials/issuance/batch/${id}`)).body.data.done === 1)
      assert.equal((await shown(issuance.id)).state, 'queued')
    })
    await worker.stop()
    // The last attempt.
    const queued = { issuanceId: issuance.id, revision: 1 }
    const about = { id: 'x', tenantId: issuer.tenant.id, attempt: mailOfferJob.attemptsMax }
    await assert.rejects(
      mailOfferJob.run(issuer.platform, queued, new AbortController().signal, { ...about, attempt: 1 }),
    )
    await mailOfferJob.run(issuer.platform, queued, new AbortController().signal, about)
    assert.partialDeepStrictEqual(await shown(queued.issuanceId), { state: 'failed', reason: 'unreachable' })
  } finally {
    mails.isSilent = false
  }
  // Jobs that were lost leave no address.
  issuer.clock.at = new Date(issuer.clock.at.getTime() + 9 * 3_600_000)
  for (const sweep of offerMailSchedules) await sweep.run(issuer.platform, new AbortController().signal)
  const rows = await mailsOf(issuer)
  assert.ok(rows.every(({ state, sealed_mail }) => state === 'failed' && sealed_mail === null))
  assert.deepEqual((await rowsOf<{ detail: object }>(issuer, audited))[0]?.detail, { reason: 'refused' })
  const failed = (since: Date) => issuer.platform.store.single(issuer.tenant.id, (tx) => failedOfferMails(tx, since))
  assert.deepEqual([await failed(new Date(0)), await failed(issuer.clock.at)], [rows.length, 0])
})

test('an offer that was taken or canceled is not mailed; one that is offered again is mailed again, ten times', async () => {
  const issuer = await mailingIssuer()
  const label = { label: ['/given_name'] }
  const canceled = await anOffer(issuer, label, to('canceled@example.org'))
  const labelled = (await issuer.api('GET', `/credentials/${canceled.issuance.id}`)).body.data
  assert.equal(labelled.label, 'Thandi')
  const ended = (await issuer.api('DELETE', `/credentials/${canceled.issuance.id}`)).body.data
  assert.ok(!('label' in ended))
  const taken = await anOffer(issuer, {}, to('taken@example.org'))
  assert.equal((await redeem(issuer, taken.code)).status, 200)
  const lost = await anOffer(issuer, {}, to('lost@example.org'))
  await withMailWorkers([issuer], async () => void (await settled(issuer)))
  const path = `/credentials/${lost.issuance.id}/offer`
  const again = await issuer.api('POST', path, { ...to('found@example.org', 'fr') })
  assert.deepEqual([again.status, again.body.data.offerMail.state], [200, 'queued'])
  await withMailWorkers([issuer], async () => void (await settled(issuer)))
  assert.deepEqual(
    ['canceled', 'taken', 'lost', 'found'].map((name) => mailFor(`${name}@example.org`).length),
    [0, 0, 1, 1],
  )
  const states = (await mailsOf(issuer)).map(({ state, reason, revision }) => [state, reason, revision])
  const over = ['failed', 'offer_ended', 1]
  assert.deepEqual(states, [over, over, ['sent', null, 2]])
  await rowsOf(issuer, setRevision)
  const refused = await issuer.api('POST', path, to('found@example.org'))
  assert.deepEqual([refused.status, refused.body.errors[0].code], [409, 'INVALID_STATE'])
  // The job of an earlier request finds nothing to do.
  await mailOfferJob.run(issuer.platform, { issuanceId: lost.issuance.id, revision: 1 }, new AbortController().signal, {
    id: 'x',
    tenantId: issuer.tenant.id,
    attempt: 1,
  })
  assert.equal(mails.mails.filter(({ to: one }) => one.includes('found@')).length, 1)
})

test('the label of a template names attributes with plain values', async () => {
  const issuer = await mailingIssuer()
  for (const label of [['/address'], ['/nationalities'], ['/address/locality'], ['/unknown'], ['given_name']]) {
    const { status, body } = await issuer.api('POST', '/templates/credentials', aTemplate({ label }))
    assert.deepEqual([status, body.errors?.[0].source.pointer], [400, '/label/0'], JSON.stringify(label))
  }
})

const loseJobs = sql('test.mail.lose_jobs', 'delete from job where tenant_id = $1 returning id')
const jobsOf = sql('test.mail.jobs', 'select id from job where tenant_id = $1')

test('a mail whose job is lost is sent ten minutes later; one whose job waits gets no second one', async () => {
  const issuer = await mailingIssuer()
  await anOffer(issuer, {}, to('late@example.org'))
  const { signal } = new AbortController()
  const later = (seconds: number) => {
    issuer.clock.at = new Date(issuer.clock.at.getTime() + seconds * 1000)
    return resumeMails(issuer.platform, signal)
  }
  await later(601)
  assert.equal((await rowsOf(issuer, jobsOf)).length, 1)
  assert.equal((await rowsOf(issuer, loseJobs)).length, 1)
  await later(1)
  await withMailWorkers([issuer], async () => void (await settled(issuer)))
  assert.deepEqual(
    [(await mailsOf(issuer)).map(({ state }) => state), mailFor('late@example.org').length],
    [['sent'], 1],
  )
})
