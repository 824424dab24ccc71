import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { Memory } from '../../memory/memory.ts'
import type { OutboundFetch } from '../../platform.ts'
import { readFetched } from './fetched-json.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const accept = ['application/json']

/** Servers whose every document is `body`. Counts how often each address was fetched, and with which limit. */
function aWeb(bodyOf: (url: string) => string) {
  const fetched: string[] = []
  const limits = new Set<number>()
  const fetch: OutboundFetch = async (_tenantId, url, { bytesMax }) => {
    fetched.push(url)
    limits.add(bytesMax)
    return { status: 200, headers: {}, contentType: 'application/json', body: Buffer.from(bodyOf(url)) }
  }
  const memory = new Memory()
  const read = (url: string, tenant = 'some') =>
    readFetched({ fetch, memory, tenantId: tenant as TenantId }, { url, accept, now }, (value) => value)
  return { fetch, memory, fetched, limits, read }
}

test('a document has at most 16 KiB', async () => {
  const web = aWeb(() => '{}')
  await web.read('https://a.example/1')
  assert.deepEqual([...web.limits], [16_384])
})

test('a document that was refused is not kept: the right one is read at the next moment', async () => {
  let body = '{"id":"wrong"}'
  const { fetch, memory } = aWeb(() => body)
  const read = () =>
    readFetched(
      { fetch, memory, tenantId: 'some' as TenantId },
      { url: 'https://a.example/', accept, now },
      (value) => {
        if (JSON.stringify(value) !== '{"id":"right"}') throw new Fault('did.unresolvable')
        return value
      },
    )
  await assert.rejects(read(), { code: 'did.unresolvable' })
  body = '{"id":"right"}'
  assert.deepEqual(await read(), { id: 'right' })
})

test('the documents of a process occupy at most 2 MiB, those of one tenant a quarter, and no tenant evicts those of another', async () => {
  const web = aWeb(() => JSON.stringify('x'.repeat(16_000)))
  const urls = (host: string) => Array.from({ length: 200 }, (_, n) => `https://${host}.example/${n}`)
  await web.read('https://calm.example/', 'calm')
  for (const url of urls('busy')) await web.read(url, 'busy')
  web.fetched.length = 0
  for (const url of urls('busy').reverse()) await web.read(url, 'curious')
  const kept = 200 - web.fetched.length
  assert.ok(kept > 20 && kept <= 32, `${kept} kept`)
  web.fetched.length = 0
  await web.read('https://calm.example/')
  for (const name of ['b', 'c', 'd', 'e', 'f']) {
    for (const url of urls(name)) await web.read(url, name)
  }
  web.fetched.length = 0
  for (const name of ['b', 'c', 'd', 'e', 'f']) for (const url of urls(name).slice(-33)) await web.read(url)
  assert.ok(5 * 33 - web.fetched.length <= 131, 'more than 2 MiB of documents are kept')
})

test('concurrent calls share one fetch', async () => {
  const web = aWeb(() => '{}')
  await Promise.all([1, 2, 3].map(() => web.read('https://a.example/')))
  assert.equal(web.fetched.length, 1)
})
