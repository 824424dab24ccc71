// How long the operations with the most work behind their largest bodies keep the event loop from others, from the head
// of the request to the end of its answer.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { newId } from '../src/store/row-id.ts'
import { leastOfRuns, longestPiece } from './support/longest-piece.ts'
import { makeTemplate } from './support/main-job.ts'
import { type Api, type Deployment, deploy } from './support/server.ts'

/** CPU time of one piece of work on a caller's input. */
const STALL_MS_MAX = 20
/** Of the one body that may be larger, 8 MiB. */
const LARGE_STALL_MS_MAX = 40

let chirograph: Deployment
let school: Api
let tableTemplate = ''
before(async () => {
  chirograph = await deploy({}, {}, {}, 1)
  school = await chirograph.backend('acme')
  tableTemplate = (await makeTemplate(school, newId(), { attributes: wide(12) })).id
})
after(() => chirograph.stop())

const attributes = (count: number, value: (at: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, value(at)]))
const wide = (count: number) => attributes(count, () => ({ type: 'string' }))

/** Sends a body. @returns the status and the begin of the answer */
function send(path: string, type: string, body: Buffer): Promise<string> {
  const headers = { authorization: `Bearer ${school.token}`, 'content-type': type, 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const sent = request(`${chirograph.url}${path}`, { method: 'POST', headers }, (answer) => {
      let begin = ''
      answer.on('data', (bytes: Buffer) => {
        if (begin === '') begin = bytes.toString('latin1', 0, 300)
      })
      answer.on('end', () => resolve(`${answer.statusCode} ${begin}`))
    })
    sent.on('error', reject).end(body)
  })
}

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'

/** An operation, and a body of it near its bound. Each call makes another one. */
type Work = readonly [path: string, body: () => Promise<object | string>, mostMs?: number, type?: string]

const works: Readonly<Record<string, Work>> = {
  'a credential template of 200 attributes': [
    '/creds/templates/credentials',
    async () => ({ name: 'Wide', code: newId(), attributes: wide(200) }),
  ],
  'a presentation template of 32 credentials with 100 attributes each': [
    '/creds/templates/presentations',
    async () => ({
      name: 'Wide',
      description: 'Much',
      credentials: Array.from({ length: 32 }, (_, at) => ({
        type: `https://types.example/${at}`,
        attributes: attributes(100, () => ({})),
      })),
    }),
  ],
  'an issuance of 200 attributes of 1,250 characters': [
    '/creds/credentials/issuance',
    async () => {
      const { id } = await makeTemplate(school, newId(), { attributes: wide(200) })
      return { credentialTemplateId: id, attributes: attributes(200, () => 'a'.repeat(1250)) }
    },
  ],
  'a batch of 1,000 items with 90 attributes of 70 characters': [
    '/creds/credentials/issuance/batch',
    async () => {
      const { id } = await makeTemplate(school, newId(), { attributes: wide(90) })
      const items = Array.from({ length: 1000 }, () => ({ attributes: attributes(90, () => 'a'.repeat(70)) }))
      return { credentialTemplateId: id, items }
    },
    LARGE_STALL_MS_MAX,
  ],
  'a table of 10,000 rows with 12 cells of 65 characters': [
    '/creds/credentials/issuance/batch?credentialTemplateId=',
    async () => {
      const head = Array.from({ length: 12 }, (_, at) => `a${at}`).join(',')
      return [head, ...Array.from({ length: 10_000 }, () => Array(12).fill('a'.repeat(65)).join(','))].join('\n')
    },
    LARGE_STALL_MS_MAX,
    'text/csv',
  ],
  'a bulk request of 1,000 users that ends at its first error': [
    '/onboarding/scim/v2/Bulk',
    async () => {
      const user = (at: number) => ({ schemas: [USER], userName: `user-${at}`, displayName: 'a'.repeat(800) })
      const Operations = Array.from({ length: 1000 }, (_, at) => ({
        method: 'POST',
        path: at === 0 ? '/Nothing' : '/Users',
        bulkId: `b${at}`,
        data: user(at),
      }))
      return { schemas: [BULK], failOnErrors: 1, Operations }
    },
    STALL_MS_MAX,
    'application/scim+json',
  ],
}

for (const [what, [path, body, mostMs = STALL_MS_MAX, type = 'application/json']] of Object.entries(works)) {
  test(`${what} keeps the event loop for less than ${mostMs} ms at once`, async (context) => {
    const leastMs = await leastOfRuns(mostMs, async () => {
      const given = await body()
      const bytes = Buffer.from(typeof given === 'string' ? given : JSON.stringify(given))
      let answer = ''
      const stallMs = await longestPiece(async () => {
        answer = await send(path.endsWith('=') ? path + tableTemplate : path, type, bytes)
      })
      assert.match(answer, /^20[012] /)
      context.diagnostic(`${bytes.length} bytes: ${stallMs.toFixed(1)} ms`)
      return stallMs
    })
    assert.ok(leastMs < mostMs, `${leastMs} ms`)
  })
}
