// Made from the lists of routes and endpoints: whatever a client sends, it gets an answer of ours, and the log has a line of it.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { endpoints, routes } from '../../src/app.ts'
import { postgresUrl } from '../support/database.ts'
import { type Deployment, deploy } from '../support/server.ts'

const requestLines: Record<string, unknown>[] = []
const write = (fields: object, message: string) => {
  if (message === 'request') requestLines.push({ ...fields })
}
const errors: object[] = []
const log = { debug: write, info: write, warn: write, error: (fields: object) => void errors.push(fields) }

// On PostgreSQL a front of several servers reads the requests before ours do.
const options = { skip: postgresUrl !== null }

let chirograph: Deployment
let token: string
before(async () => {
  chirograph = await deploy({ log }, { LOG_LEVEL: 'debug' })
  token = (await chirograph.backend('acme')).token ?? ''
})
after(() => chirograph.stop())

type Answer = { readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly body: string }

/** Sends bytes on a connection of their own and reads until the server closes it. */
async function send(head: string, body = ''): Promise<Answer> {
  const { port, hostname } = new URL(chirograph.url)
  const chunks: Buffer[] = []
  await new Promise<void>((done) => {
    const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\n\r\n${body}`))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => done())
    socket.setTimeout(5000, () => socket.destroy())
  })
  const [first = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  const [status = '', ...lines] = first.split('\r\n')
  const pairs = lines.map(
    (line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 2)] as const,
  )
  return { status: Number(status.split(' ')[1]), headers: new Map(pairs), body: rest.join('\r\n\r\n') }
}

const common = () => `host: x\r\nconnection: close\r\nauthorization: Bearer ${token}`
const json = 'content-type: application/json'

/** Checks that an answer is a refusal of ours with one of these statuses, that it carries the common headers, and that it was logged. */
async function refused(head: string, body: string, statuses: readonly number[]): Promise<Answer> {
  const answer = await send(head, body)
  const what = `${head.slice(0, 120)}\n${answer.status} ${answer.body.slice(0, 200)}`
  assert.ok(statuses.includes(answer.status), what)
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', what)
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/, what)
  if (!head.startsWith('HEAD') && answer.status >= 400)
    assert.match(answer.body, /"errors":\[|"error":|messages:2\.0:Error"|<!doctype/, what)
  const id = answer.headers.get('x-request-id')
  assert.ok(
    requestLines.some(({ requestId, status }) => requestId === id && status === answer.status),
    what,
  )
  return answer
}

const long = 'a'.repeat(1100)
const id = '01890000-0000-7000-8000-000000000000'
const all = [
  ...routes.map(({ group, path, method }) => ({ path: `/${group}${path}`, method })),
  ...endpoints.map(({ path, method }) => ({ path, method })),
]
const methodsOf = (path: string) => all.filter((one) => one.path === path).map(({ method }) => method)

for (const path of new Set(all.map((one) => one.path))) {
  const at = path.replaceAll(/\{tenant\}/g, 'acme').replaceAll(/\{[^}]+\}/g, id)

  test(`${path}: a method that it does not have is 405 with its own methods in Allow`, options, async () => {
    const own = methodsOf(path).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND', 'TRACE', 'LOCK']) {
      if (own.includes(method)) continue
      const { headers } = await refused(`${method} ${at} HTTP/1.1\r\n${common()}`, '', [405])
      assert.equal(headers.get('allow'), own.toSorted().join(', '), method)
    }
  })

  test(`${path}: odd lengths, encodings and characters are refused in the envelope`, options, async () => {
    const [method = 'GET'] = methodsOf(path)
    const tooLong = path.replaceAll(/\{[^}]+\}/g, long)
    if (tooLong !== path) await refused(`${method} ${tooLong} HTTP/1.1\r\n${common()}`, '', [400, 404])
    if (path.includes('{')) {
      const broken = path.replaceAll(/\{[^}]+\}/g, '%ff')
      await refused(`${method} ${broken} HTTP/1.1\r\n${common()}`, '', [400, 404])
    }
    await refused(`${method} ${at}?${long.repeat(20)} HTTP/1.1\r\n${common()}`, '', [431])
    await refused(`${method} ${at} HTTP/9.9\r\n${common()}`, '', [400])
    await refused(`${method} ${at} HTTP/1.1\r\nconnection: close`, '', [400])
    await refused(`${method} ${at} HTTP/1.1\r\n${common()}\r\n${json}\r\ncontent-length: x`, '', [400])
    if (method === 'GET') return
    const gzip = `${json}\r\ncontent-encoding: gzip\r\ncontent-length: 2`
    await refused(`${method} ${at} HTTP/1.1\r\n${common()}\r\n${gzip}`, '{}', [403, 415])
  })
}

test('malformed HTTP and CONNECT are refused in the envelope', options, async () => {
  await refused('rubbish', '', [400])
  await refused('FOO / HTTP/1.1\r\nhost: x', '', [400])
  await refused('CONNECT x:443 HTTP/1.1\r\nhost: x', '', [405])
})

test('nothing of all this was an error of ours', options, () => {
  assert.deepEqual(errors, [])
})
