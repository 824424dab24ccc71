// Made from the lists of routes and endpoints: whatever a client sends, it gets an answer of ours, and the log has a
// line of it.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { endpoints, routes } from '../../src/contributions.ts'
import { postgresUrl } from '../support/database.ts'
import { checkAnswer, type Sent } from '../support/documented-answer.ts'
import { makeEverything, type Objects } from '../support/main-job.ts'
import { type OddRequest, oddRequests } from '../support/odd-input.ts'
import { operations } from '../support/openapi-document.ts'
import { seededNumbers } from '../support/seed.ts'
import { type Deployment, deploy } from '../support/server.ts'

const requestLines: Record<string, unknown>[] = []
const write = (fields: object, message: string) => {
  if (message === 'request') requestLines.push({ ...fields })
}
const errors: object[] = []
const log = { debug: write, info: write, warn: write, error: (fields: object) => void errors.push(fields) }

// For requests that are no valid HTTP.
const options = { skip: postgresUrl !== null && 'a front of several servers reads the requests before ours do' }

let chirograph: Deployment
let token: string
let walletToken: string
let objects: Objects
before(async () => {
  chirograph = await deploy({ log }, { LOG_LEVEL: 'debug' })
  token = (await chirograph.backend('acme')).token ?? ''
  walletToken = (await chirograph.wallet('acme', 'thandi')).token ?? ''
  objects = await makeEverything(chirograph)
})
after(() => chirograph.stop())

type Answer = { readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly body: string }

/** Sends bytes on a connection of their own and reads until the server closes it. */
async function send(head: string, body = '', end: 'open' | 'half-closed' = 'open'): Promise<Answer> {
  const { port, hostname } = new URL(chirograph.url)
  const chunks: Buffer[] = []
  await new Promise<void>((done) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head}\r\n\r\n${body}`)
      if (end === 'half-closed') socket.end()
    })
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => done())
    socket.setTimeout(5000, () => socket.destroy())
  })
  const interim = /^(?:HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n)*/
  const [first = '', ...rest] = Buffer.concat(chunks).toString().replace(interim, '').split('\r\n\r\n')
  const [status = '', ...lines] = first.split('\r\n')
  const pairs = lines.map(
    (line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 2)] as const,
  )
  return { status: Number(status.split(' ')[1]), headers: new Map(pairs), body: rest.join('\r\n\r\n') }
}

const common = () => `host: x\r\nconnection: close\r\nauthorization: Bearer ${token}`
const json = 'content-type: application/json'

/**
 * Checks that an answer is a refusal of ours with one of these statuses, that it carries the common headers, and that
 * it was logged.
 */
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

const paths = [...new Set(all.map((one) => one.path))]
const filled = (path: string) => path.replaceAll(/\{tenant\}/g, 'acme').replaceAll(/\{[^}]+\}/g, id)

test('a method that a path does not have is 405 with its own methods in Allow', options, async () => {
  for (const path of paths) {
    const own = methodsOf(path).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND', 'TRACE', 'LOCK']) {
      if (own.includes(method)) continue
      const { headers } = await refused(`${method} ${filled(path)} HTTP/1.1\r\n${common()}`, '', [405])
      assert.equal(headers.get('allow'), own.toSorted().join(', '), `${method} ${path}`)
    }
  }
})

test('odd lengths, encodings and characters are refused in the envelope, at every path', options, async () => {
  for (const path of paths) {
    const at = filled(path)
    const [method = 'GET'] = methodsOf(path)
    const tooLong = path.replaceAll(/\{[^}]+\}/g, long)
    if (tooLong !== path) await refused(`${method} ${tooLong} HTTP/1.1\r\n${common()}`, '', [400, 404])
    if (path.includes('{')) {
      const broken = path.replaceAll(/\{[^}]+\}/g, '%ff')
      await refused(`${method} ${broken} HTTP/1.1\r\n${common()}`, '', [400, 404])
    }
    // Nothing is no value of a parameter: the path is another one, which may have other methods.
    for (const parameter of path.match(/\{[^}*]+\}/g) ?? []) {
      const empty = filled(path.replace(parameter, ''))
      const own = methodsOf(empty)
      if (own.includes(method)) continue
      await refused(`${method} ${empty} HTTP/1.1\r\n${common()}`, '', [own.length === 0 ? 404 : 405])
    }
    await refused(`${method} ${at}?${long.repeat(20)} HTTP/1.1\r\n${common()}`, '', [431])
    await refused(`${method} ${at} HTTP/9.9\r\n${common()}`, '', [400])
    await refused(`${method} ${at} HTTP/1.1\r\nconnection: close`, '', [400])
    await refused(`${method} ${at} HTTP/1.1\r\n${common()}\r\n${json}\r\ncontent-length: x`, '', [400])
    if (method === 'GET') continue
    const gzip = `${json}\r\ncontent-encoding: gzip\r\ncontent-length: 2`
    await refused(`${method} ${at} HTTP/1.1\r\n${common()}\r\n${gzip}`, '{}', [403, 415])
  }
})

test('malformed HTTP and CONNECT are refused in the envelope', options, async () => {
  await refused('rubbish', '', [400])
  await refused('FOO / HTTP/1.1\r\nhost: x', '', [400])
  await refused('CONNECT x:443 HTTP/1.1\r\nhost: x', '', [405])
})

/** Ways to send no body, or `{}`, which are all the same request: head lines and bytes. */
const framings: readonly (readonly [what: string, lines: readonly string[], bytes: string])[] = [
  ['a media type and no length', [json], ''],
  ['a form and no length', ['content-type: application/x-www-form-urlencoded'], ''],
  ['a length of 0', [json, 'content-length: 0'], ''],
  ['no media type and a length of 0', ['content-length: 0'], ''],
  ['chunks, none', [json, 'transfer-encoding: chunked'], '0\r\n\r\n'],
  ['an expectation and no length', [json, 'expect: 100-continue'], ''],
  ['an expectation and a length of 0', [json, 'expect: 100-continue', 'content-length: 0'], ''],
]
/** Bodies that never end. */
const cutOff: readonly (readonly [what: string, lines: readonly string[], bytes: string])[] = [
  ['a body that ends early', [json, 'content-length: 10'], '{}'],
  ['chunks that end early', [json, 'transfer-encoding: chunked'], '2\r\n{}\r\n'],
]

describe(
  'a request without a body is answered at once, however that is said, and one that is cut off ends',
  options,
  () => {
    const asked = ({ path, method }: (typeof all)[number], lines: readonly string[]) =>
      [`${method} ${filled(path)} HTTP/1.1`, common(), ...lines].join('\r\n')
    for (const one of all) {
      test(`${one.method} ${one.path}`, async () => {
        const plain = await send(asked(one, []))
        assert.ok(plain.status >= 200, `${plain.status}`)
        for (const [what, lines, bytes] of framings) {
          const answer = await send(asked(one, lines), bytes)
          assert.equal(answer.status, plain.status, what)
        }
        for (const [what, lines, bytes] of cutOff) {
          const start = performance.now()
          await send(asked(one, lines), bytes, 'half-closed')
          assert.ok(performance.now() - start < 4000, `${what}: the connection stays open`)
        }
      })
    }
  },
)

describe('whatever is sent to an operation, the answer is one of its description, and never a 5xx', () => {
  const random = seededNumbers()
  // What removes objects comes last, so that the others find theirs.
  const ordered = operations.toSorted(
    (a, b) => Number(a.name.startsWith('DELETE')) - Number(b.name.startsWith('DELETE')),
  )
  for (const { name, path: pattern, operation } of ordered) {
    test(name, async () => {
      const [method = 'GET'] = name.split(' ')
      const path = pathWithObjects(pattern)
      for (const odd of oddRequests({ operation, path, pattern }, random)) {
        const answer = await ask(method, pattern, odd)
        checkAnswer(operation, answer, `${name} ${odd.what}`)
      }
    })
  }
})

test('nothing of all this was an error of ours', () => {
  assert.deepEqual(errors, [])
})

/** The path with the objects that exist, others with an id that nothing has. */
function pathWithObjects(pattern: string): string {
  const collection = pattern.slice(0, pattern.indexOf('/{'))
  const known = objects[collection]
  const at = pattern.replace('{tenant}', 'acme')
  return (known === undefined ? at : at.replace(/\{[^}]+\}/, known)).replaceAll(/\{[^}]+\}/g, id)
}

async function ask(method: string, pattern: string, { path, headers, body }: OddRequest): Promise<Sent> {
  const bearer = /^\/wallet\/(v2\/)?(?!orgs)/.test(pattern) ? walletToken : token
  const answer = await fetch(`${chirograph.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...headers },
    redirect: 'manual',
    ...(body !== undefined && method !== 'GET' && { body: new Uint8Array(body) }),
    signal: AbortSignal.timeout(20_000),
  })
  const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
  // A stream has no end; its first bytes would be enough, and its headers are.
  if (type === 'text/event-stream') await answer.body?.cancel()
  return {
    status: answer.status,
    headers: answer.headers,
    type,
    text: type === 'text/event-stream' ? '' : await answer.text(),
  }
}
