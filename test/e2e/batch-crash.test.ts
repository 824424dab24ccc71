// A server is killed in the middle of its batches, on the database that the run was given.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { everyRow } from '../support/every-row.ts'
import { makeTemplate } from '../support/main-job.ts'
import type { Api, Reply } from '../support/server.ts'
import { type ServerChild, serverChild } from '../support/server-child.ts'

const PATH = '/creds/credentials/issuance/batch'
/** More than JSON may have, and than one statement inserts. */
const ITEMS = 1500

/** When the server is killed: after so much work, since machines differ in how long that takes. */
const moments: readonly ((school: Api, posted: Promise<Reply | null>) => Promise<unknown>)[] = [
  () => setTimeout(40),
  (_, posted) => posted,
  (school, posted) => posted.then(() => doneOfNewest(school, 1)),
  (school, posted) => posted.then(() => doneOfNewest(school, ITEMS * 0.7)),
]
const KILLS = moments.length

let server: ServerChild
let templateId: string

before(async () => {
  server = await serverChild()
  templateId = (await makeTemplate(await server.backend(), 'badge')).id
})
after(() => server.remove())

test('killed in the middle of batches, the server issues every item once, however often the batch is posted again', async () => {
  const killedAt = new Map<string, number>()
  for (const [round, moment] of moments.entries()) {
    const school = await server.backend()
    const posted = post(school, round).catch(() => null)
    await moment(school, posted)
    await server.end('SIGKILL')
    const answer = await posted
    if (answer !== null) killedAt.set(answer.body.data.id, Date.now())
    await server.start()
  }
  const school = await server.backend()
  const ids = new Set<string>()
  for (let round = 0; round < KILLS; round += 1) ids.add(await postUntilAnswered(school, round))
  assert.equal(ids.size, KILLS)
  assert.equal((await batches(school)).length, KILLS, 'a batch was accepted twice')
  let cutShort = 0
  for (const id of ids) {
    const endedAt = await completed(school, id)
    if (endedAt > (killedAt.get(id) ?? Number.POSITIVE_INFINITY)) cutShort += 1
  }
  assert(cutShort > 0, 'every batch was done before its server was killed')
  for (let round = 0; round < KILLS; round += 1) {
    const found = await everyRow(school, `/creds/credentials?filter[reference]=round-${round}`)
    assert.equal(found.length, ITEMS, `of round ${round}`)
  }
  const events = await everyRow(school, '/creds/events?filter[type]=openid4vc.issuance.offered')
  assert.equal(events.length, KILLS * ITEMS, 'an issuance has two events, or none')
})

function post(school: Api, round: number): Promise<Reply> {
  const rows = Array.from({ length: ITEMS }, (_, n) => `Student ${n},round-${round}`)
  const headers = { 'content-type': 'text/csv', 'idempotency-key': `round-${round}` }
  const table = ['name,reference', ...rows].join('\n')
  return school.send('POST', `${PATH}?credentialTemplateId=${templateId}`, table, headers)
}

/** What a dead server held is free again after a while. */
async function postUntilAnswered(school: Api, round: number): Promise<string> {
  for (let tries = 0; tries < 60; tries += 1) {
    const { status, body } = await post(school, round)
    if (status === 202) return body.data.id
    assert.equal(status, 409, JSON.stringify(body))
    await setTimeout(500)
  }
  return assert.fail('the key stays taken')
}

/** Asks until so many items of the newest batch are done. */
async function doneOfNewest(school: Api, enough: number): Promise<void> {
  for (let tries = 0; tries < 3000; tries += 1) {
    const [done = 0] = await batches(school)
    if (done >= enough) return
    await setTimeout(2)
  }
  assert.fail('a batch stands still')
}

/** @returns how far each of them is, the newest first */
async function batches(school: Api): Promise<number[]> {
  const { body, status } = await school.get(`${PATH}?page[size]=100`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((one: { done: number }) => one.done)
}

/** @returns when its last item was done */
async function completed(school: Api, id: string): Promise<number> {
  for (let tries = 0; tries < 60; tries += 1) {
    const { body } = await school.get(`${PATH}/${id}`, { prefer: 'wait=5' })
    if (body.data.status !== 'completed') continue
    assert.partialDeepStrictEqual(body.data, { total: ITEMS, done: ITEMS, failed: 0 })
    return Date.parse(body.data.updatedAt)
  }
  return assert.fail('a batch was left behind')
}
