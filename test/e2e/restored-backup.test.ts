// A backup is restored: the server refuses it, `recover` makes it safe, and what was revoked or spent in the lost time
// stays so.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { type Call, holderKey, redeem } from '../../demo/foreign-wallet.ts'
import type { Json } from '../../demo/json.ts'
import { statusOfEntry } from '../../src/protocols/status-list/packed-list.ts'
import { parseStatusListToken } from '../../src/protocols/status-list/status-list-token.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import type { Api } from '../support/server.ts'
import { type ServerChild, serverChild } from '../support/server-child.ts'

const outside = mkdtempSync(join(tmpdir(), 'chirograph-outside-'))
const mark = join(outside, 'mark.json')
const journal = join(outside, 'journal')

let server: ServerChild
before(async () => {
  server = await serverChild({ RECOVERY_MARK: mark, REVOCATION_JOURNAL: journal })
})
after(async () => {
  await server.remove()
  rmSync(outside, { recursive: true, force: true })
})

/** Of a credential and its issuance. */
type Issued = { readonly id: string; readonly issuanceId: string }

async function issued(school: Api, thandi: Api, templateId: string): Promise<Issued> {
  const issuance = await openIssuance(school, templateId)
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: issuance.offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  return { id: issuance.credentials[0].id, issuanceId: issuance.id }
}

type Line = { kind: string; issuanceId: string; standing: string; listId: string; indices: number[] }

function journaled(): Line[] {
  const texts = readdirSync(journal).flatMap((name) => readFileSync(join(journal, name), 'utf8').trim().split('\n'))
  return texts.map((text) => JSON.parse(text))
}

/** The entry of a revoked credential, and what its list says of it now. */
async function entryOf({ issuanceId }: Issued): Promise<{ listId: string; index: number; says: number }> {
  const line = journaled().find((one) => one.issuanceId === issuanceId)
  assert(line !== undefined)
  const [index = -1] = line.indices
  const uri = `${server.url}/issuers/acme/status-lists/${line.listId}`
  const answer = await fetch(uri, { headers: { accept: 'application/statuslist+jwt' } })
  assert.equal(answer.status, 200)
  const { payload } = parseStatusListToken(await answer.text())
  const { bits, lst } = payload.status_list as { bits: 1 | 2; lst: string }
  const packed = inflateSync(Buffer.from(lst, 'base64url'))
  return { listId: line.listId, index, says: statusOfEntry({ bits, packed }, index) }
}

async function revoke(school: Api, id: string): Promise<void> {
  const { body } = await school.post('/creds/credentials/revoke', { ids: [id] })
  assert.equal(body.data.results[0].status, 'revoked', JSON.stringify(body))
}

async function statusOf(school: Api, issuanceId: string): Promise<string> {
  return (await school.get(`/creds/credentials/${issuanceId}`)).body.data.credentials[0].status
}

/** Redeems an offer as a foreign wallet does. @param nonce Used instead of a fresh one. */
async function redeemed({ offerUri }: { offerUri: string }, nonce?: Json): Promise<string> {
  const call: Call = async (method, url, { form, json, token } = {}) => {
    if (nonce !== undefined && url.endsWith('/nonce')) return nonce
    const headers = {
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json)
    const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return text.startsWith('{') ? JSON.parse(text) : text
  }
  return redeem(call, offerUri, holderKey())
}

test('revocations of the lost time hold, spent offers stay spent, and no entry is given twice', async () => {
  let [school, thandi] = [await server.backend(), await server.wallet('thandi')]
  const { id: templateId } = await makeTemplate(school, 'degree')
  const early = await issued(school, thandi, templateId)
  const open = await openIssuance(school, templateId)
  assert.equal(await server.end('SIGTERM'), 0)
  const restore = await server.backUp()
  const since = new Date().toISOString()

  await server.start()
  school = await server.backend()
  thandi = await server.wallet('thandi')
  const late = await issued(school, thandi, templateId)
  for (const { id } of [early, late]) await revoke(school, id)
  const spent = await thandi.post('/wallet/v2/credentials', { credentialOffer: open.offerUri })
  assert.equal(spent.status, 201)
  const nonce = (await (await fetch(`${server.url}/issuers/acme/nonce`, { method: 'POST' })).json()) as Json
  const lost = await entryOf(late)
  assert.equal(lost.says, 1)
  assert.equal(await server.end('SIGTERM'), 0)

  await restore()
  const refused = await server.command('serve')
  assert.equal(refused.status, 1)
  assert.match(refused.err, /older state .* run `chirograph recover --since TIME`/)
  const recovered = await server.command('recover', '--since', since, '--no-wait')
  assert.equal(recovered.status, 0, recovered.err)
  const report = JSON.parse(recovered.out)
  assert.deepEqual([report.tenants, report.journalLines, report.problems], [1, 2, []])
  assert(Date.parse(report.proofsOpenUntil) > Date.now(), 'proofs of others are accepted again until then')
  // The open offer, and the one whose token could fetch its credential again.
  assert.deepEqual([report.rows['offers ended'], report.rows['status lists closed']], [2, 1])
  const verified = await server.command('verify')
  assert.equal(verified.status, 0, verified.out + verified.err)
  const { examined } = JSON.parse(verified.out)
  assert.ok(examined['sealed values'] > 0 && examined['status lists'] > 0, verified.out)

  await server.start()
  school = await server.backend()
  thandi = await server.wallet('thandi')
  assert.equal((await entryOf(early)).says, 1)
  assert.deepEqual(await entryOf(late), lost)
  assert.equal((await thandi.post('/wallet/v2/credentials', { credentialOffer: open.offerUri })).status >= 400, true)
  assert.equal(await statusOf(school, open.id), 'expired')
  await assert.rejects(redeemed(await openIssuance(school, templateId), nonce), /invalid_nonce/)
  await redeemed(await openIssuance(school, templateId))
  const next = await issued(school, thandi, templateId)
  await revoke(school, next.id)
  assert.notEqual((await entryOf(next)).listId, lost.listId)
  const audit = await school.get('/creds/audit?filter[action]=deployment.restored')
  assert.equal(audit.body.data.length, 1)
  assert.equal(audit.body.data[0].detail.since, since)
  assert.equal(await server.end('SIGTERM'), 0)
})

test('the journal has a line for each revocation, on the disk before the answer', () => {
  const standings = journaled().map(({ kind, standing }) => `${kind} ${standing}`)
  assert.deepEqual(standings, ['status revoked', 'status revoked', 'status revoked'])
})

test('a mark of another deployment is refused with the setting to correct', async () => {
  const own = readFileSync(mark, 'utf8')
  writeFileSync(mark, JSON.stringify({ ...JSON.parse(own), deployment: '018f3c2e-0000-7000-8000-000000000001' }))
  const started = await server.command('serve')
  assert.deepEqual([started.status, /RECOVERY_MARK is of another deployment/.test(started.err)], [1, true], started.err)
  const recovered = await server.command('recover', '--since', '2026-01-31T02:00:00Z', '--no-wait')
  assert.match(recovered.err, /RECOVERY_MARK is of another deployment/)
  writeFileSync(mark, 'not a mark')
  assert.match((await server.command('serve')).err, /is not a recovery mark/)
  assert.match((await server.command('recover', '--since', '2999-01-01')).err, /--since lies in the future/)
})
