// A credential that takes the place of another one: by a correction, or by a renewal.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  anOffer,
  aToken,
  type Body,
  codeOf,
  type Issuer,
  noon,
  type Reply,
  redeem,
  request,
  someClaims,
} from '../test-support/issuer.ts'
import { replacementSchedules } from './jobs.ts'

const MINUTE_MS = 60_000

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

async function sweep(after: number = 0): Promise<void> {
  issuer.clock.at = new Date(noon.getTime() + after)
  for (const { run } of replacementSchedules) await run(issuer.platform, new AbortController().signal)
}

const read = async (id: string): Promise<Body> => (await issuer.api('GET', `/credentials/${id}`)).body.data
const statusOf = async (id: string) => (await read(id)).credentials[0].status

/** A credential that a wallet holds. */
async function held(template: object = {}, ask: object = {}) {
  const { token, template: of, issuance } = await aToken(issuer, template, ask)
  assert.equal((await request(issuer, token, of.code, [aKey()])).status, 200)
  return { templateId: of.id as string, id: issuance.id as string, credentialId: issuance.credentials[0].id as string }
}

const attributes = { ...someClaims, given_name: 'Thandeka' }

async function replace(templateId: string, replaces: object, more: object = {}): Promise<Reply> {
  return issuer.api('POST', '/credentials/issuance', {
    credentialTemplateId: templateId,
    attributes,
    replaces,
    ...more,
  })
}

/** Takes an offer. @returns the notification id of the credential */
async function take(offer: Body): Promise<{ token: string; notification: string }> {
  const { body } = await redeem(issuer, await codeOf(issuer, offer.offerUri))
  const { code } = (await issuer.api('GET', `/templates/credentials/${offer.credentials[0].credentialTemplateId}`)).body
    .data
  const answer = await request(issuer, body.access_token, code, [aKey()])
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return { token: body.access_token, notification: answer.body.notification_id }
}

test('the old credential is revoked once the holder has accepted the new one, and each names the other', async () => {
  const old = await held({}, { reference: 'student-1' })
  const { body } = await replace(old.templateId, { id: old.credentialId })
  const made = body.data
  assert.equal(made.reference, 'student-1')
  assert.deepEqual(made.replaces, { issuanceId: old.id, credentialId: old.credentialId, revoke: 'whenTaken' })
  assert.deepEqual((await read(old.id)).replacedBy, { issuanceId: made.id, credentialId: made.credentials[0].id })
  await sweep()
  assert.equal(await statusOf(old.id), 'issued')

  const { token, notification } = await take(made)
  await sweep()
  assert.equal(await statusOf(old.id), 'issued', 'nobody has said that it was accepted')
  const accepted = { notification_id: notification, event: 'credential_accepted' }
  const told = await issuer.open(`/issuers/${issuer.tenant.slug}/notification`, {
    json: accepted,
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(told.status, 204, JSON.stringify(told.body))
  const shown = await read(old.id)
  assert.deepEqual([shown.credentials[0].status, shown.reason], ['revoked', 'replaced'])
  assert.equal(await statusOf(made.id), 'accepted')
})

test('a wallet that reports nothing has taken it after ten minutes', async () => {
  const old = await held()
  const { body } = await replace(old.templateId, { id: old.id })
  await take(body.data)
  await sweep(9 * MINUTE_MS)
  assert.equal(await statusOf(old.id), 'issued')
  await sweep(10 * MINUTE_MS)
  assert.equal(await statusOf(old.id), 'revoked')
  issuer.clock.at = noon
})

test('at once is before the answer', async () => {
  const old = await held()
  const { status } = await replace(old.templateId, { id: old.id, revoke: 'atOnce' })
  assert.equal(status, 200)
  assert.equal(await statusOf(old.id), 'revoked')
})

test('never leaves it as it is', async () => {
  const old = await held({ revocable: false })
  const { body } = await replace(old.templateId, { id: old.id, revoke: 'never' })
  await take(body.data)
  await sweep(10 * MINUTE_MS)
  assert.equal(await statusOf(old.id), 'issued')
  issuer.clock.at = noon
})

test('an offer that nobody has taken is withdrawn at once', async () => {
  const { issuance, template } = await anOffer(issuer)
  await replace(template.id, { id: issuance.id })
  assert.equal((await read(issuance.id)).status, 'canceled')
})

test('a new offer that ends untaken leaves the old credential, which can then be replaced again', async () => {
  const old = await held()
  const first = await replace(old.templateId, { id: old.id })
  const twice = await replace(old.templateId, { id: old.id })
  assert.deepEqual(ruleOf(twice), [400, '/replaces/id', 'replaces.twice'])
  await issuer.api('DELETE', `/credentials/${first.body.data.id}`)
  await sweep(10 * MINUTE_MS)
  issuer.clock.at = noon
  assert.equal(await statusOf(old.id), 'issued')
  assert.equal((await read(old.id)).replacedBy, undefined)
  assert.equal((await replace(old.templateId, { id: old.id })).status, 200)
})

test('by its reference, where it says which', async () => {
  const old = await held({}, { reference: 'member-7' })
  const { body } = await replace(old.templateId, { reference: 'member-7' })
  assert.equal(body.data.replaces.issuanceId, old.id)

  const { templateId } = await held({}, { reference: 'member-8' })
  const again = { credentialTemplateId: templateId, attributes, reference: 'member-8' }
  await issuer.api('POST', '/credentials/issuance', again)
  assert.deepEqual(ruleOf(await replace(templateId, { reference: 'member-8' })), [
    400,
    '/replaces/reference',
    'replaces.ambiguous',
  ])
})

function ruleOf({ status, body }: Reply) {
  return [status, body.errors[0].source.pointer, body.errors[0].meta.rule]
}

test('what cannot be replaced is refused at the member that names it', async () => {
  const old = await held({ revocable: false })
  for (const [replaces, pointer, rule] of [
    [{}, '/replaces', 'replaces.which'],
    [{ id: old.id, reference: 'x' }, '/replaces', 'replaces.which'],
    [{ id: issuer.tenant.id }, '/replaces/id', 'replaces.unknown'],
    [{ reference: 'nobody' }, '/replaces/reference', 'replaces.unknown'],
    [{ id: old.id }, '/replaces/revoke', 'replaces.irrevocable'],
  ] as const)
    assert.deepEqual(ruleOf(await replace(old.templateId, replaces)), [400, pointer, rule], JSON.stringify(replaces))
  const foreign = await issuer.anotherTenant()
  const template = (await issuer.api('GET', `/templates/credentials/${old.templateId}`)).body.data
  const copied = await issuer.api('POST', '/templates/credentials', { ...bodyOf(template) }, foreign)
  const body = { credentialTemplateId: copied.body.data.id, attributes, replaces: { id: old.id, revoke: 'never' } }
  assert.deepEqual(ruleOf(await issuer.api('POST', '/credentials/issuance', body, foreign)), [
    400,
    '/replaces/id',
    'replaces.unknown',
  ])
})

function bodyOf({ name, code, attributes: all }: Body) {
  return { name, code, attributes: all }
}

test('of many that replace one credential at the same moment one does', async () => {
  const old = await held()
  const other = await anIssuer(db, 'http://localhost:8080', {}, issuer.tenant)
  const ask = { credentialTemplateId: old.templateId, attributes, replaces: { id: old.id } }
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? issuer : other).api('POST', '/credentials/issuance', ask)),
  )
  await other.server.close(0)
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const { status } of answers) assert([200, 400, 409].includes(status), String(status))
})
