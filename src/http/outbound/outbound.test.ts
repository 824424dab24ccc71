import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { readConfig } from '../../config.ts'
import type { Fault } from '../../fault.ts'
import { Memory } from '../../memory/memory.ts'
import type { OutboundRequest } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { isGlobalAddress, isLoopbackAddress } from './global-address.ts'
import { type OutboundParts, openOutbound } from './outbound.ts'
import type { Resolve } from './vetted-address.ts'

const plain = { accept: ['application/json'], bytesMax: 1000 } satisfies OutboundRequest
const json = { 'content-type': 'application/json; charset=utf-8' }
const nowhere: Resolve = async () => [{ address: '127.0.0.1', family: 4 }]

function anOutbound(isDevelopment: boolean, more: Partial<OutboundParts> = {}) {
  const config = {
    ...readConfig({ PUBLIC_URL: 'https://us.example', CREDS_BASE_URL: 'https://creds.us.example/v1' }),
    isDevelopment,
  }
  const inside: OutboundParts['inside'] = async ({ path, headers }) => {
    return { status: 200, headers: { ...json }, body: Buffer.from(JSON.stringify({ path, host: headers?.host })) }
  }
  return openOutbound({ config, memory: new Memory(), inside, ...more })
}

let seen: { url: string | undefined; headers: NodeJS.Dict<string | string[]>; body: string }[] = []
const answers: Readonly<Record<string, RequestListener>> = {
  '/json': (_, response) => response.writeHead(200, json).end('{"a":1}'),
  '/html': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  '/404': (_, response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('no such'),
  '/204': (_, response) => response.writeHead(204).end(),
  '/big': (_, response) => response.writeHead(200, json).end('x'.repeat(1001)),
  '/endless': (_, response) => {
    response.writeHead(200, json)
    const more = setInterval(() => response.write('x'.repeat(100)), 1)
    response.on('close', () => clearInterval(more))
  },
  '/gzip': (_, response) => response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}')),
  '/deflate': (_, response) =>
    response.writeHead(200, { ...json, 'content-encoding': 'deflate' }).end(deflateSync('{"a":1}')),
  '/deflate-raw': (_, response) =>
    response.writeHead(200, { ...json, 'content-encoding': 'deflate' }).end(deflateRawSync('{"a":1}')),
  '/bomb': (_, response) =>
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(500_000))),
  '/br': (_, response) => response.writeHead(200, { ...json, 'content-encoding': 'br' }).end('x'),
  '/silent': () => {},
  '/headers': (_, response) => response.writeHead(200, { ...json, 'x-big': 'x'.repeat(20_000) }).end('{}'),
  '/to-json': (_, response) => response.writeHead(302, { location: '/json' }).end(),
  '/to-to-json': (_, response) => response.writeHead(307, { location: '/to-json' }).end(),
  '/to-private': (_, response) => response.writeHead(302, { location: 'https://169.254.169.254/latest' }).end(),
  '/to-file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
}
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    seen.push({ url: request.url, headers: request.headers, body })
    answers[request.url ?? '']?.(request, response)
  })
})
const development = anOutbound(true)
let at = ''
before(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  at = `http://localhost:${(server.address() as AddressInfo).port}`
})
after(async () => {
  server.close()
  server.closeAllConnections()
  await development.close()
})

for (const url of [
  'not a url',
  'http://issuer.example/',
  'ftp://issuer.example/',
  'file:///etc/passwd',
  'data:application/json,{}',
  'https://user@issuer.example/',
  'https://user:secret@issuer.example/',
  'https://127.0.0.1/',
  'https://localhost/',
  'https://localhost./',
  'https://us.example./',
  'https://creds.us.example./v1/types',
  'https://a.localhost/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://10.0.0.1/',
  'https://93.184.216.34/',
  'https://issuer.example:22/',
  'https://issuer.example:25/',
]) {
  test(`${url} is not called in production [9.2]`, async () => {
    const out = anOutbound(false, { resolve: nowhere })
    await assert.rejects(out.fetch(platformTenantId, url, plain), { code: 'upstream.refused' })
    await out.close()
  })
}

for (const url of ['http://issuer.example/', 'http://10.0.0.1/', 'https://10.0.0.1/', 'http://[::ffff:127.0.0.1]/']) {
  test(`${url} is not called in development either`, async () => {
    await assert.rejects(development.fetch(platformTenantId, url, plain), { code: 'upstream.refused' })
  })
}

for (const address of [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.9.9.9',
  '169.254.169.254',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.0.1',
  '198.19.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:8.8.8.8',
  '::8.8.8.8',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:808:808::',
  '3fff::1',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'fe80::1%lo',
  'fec0::1',
  'ff02::1',
  'localhost',
  '',
]) {
  test(`${address || '(nothing)'} is not a global address, and a name that resolves to it is not called`, async () => {
    assert.equal(isGlobalAddress(address), false)
    const resolve: Resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address, family: address.includes(':') ? 6 : 4 },
    ]
    const out = anOutbound(false, { resolve })
    await assert.rejects(out.fetch(platformTenantId, 'https://issuer.example/', plain), { code: 'upstream.refused' })
    await out.close()
  })
}

test('ordinary addresses are global', () => {
  for (const address of ['8.8.8.8', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::8a']) {
    assert.equal(isGlobalAddress(address), true, address)
  }
  assert.deepEqual(['127.0.0.1', '::1', '::ffff:127.0.0.1'].map(isLoopbackAddress), [true, true, false])
})

test('a name that is rebound is resolved once per connection, and that result is vetted', async () => {
  let calls = 0
  const resolve: Resolve = async () => {
    calls += 1
    return [{ address: calls === 1 ? '127.0.0.1' : '8.8.8.8', family: 4 }]
  }
  const out = anOutbound(false, { resolve })
  await assert.rejects(out.fetch(platformTenantId, 'https://rebinding.example/', plain), { code: 'upstream.refused' })
  assert.equal(calls, 1)
  await out.close()
})

test('the refusal of a resolved address names the setting and does not reveal the address', async () => {
  const out = anOutbound(false, { resolve: async () => [{ address: '10.7.7.7', family: 4 }] })
  await assert.rejects(
    out.fetch(platformTenantId, 'https://issuer.example/', plain),
    ({ message, detail = '' }: Fault) =>
      detail.includes('OUTBOUND_ALLOWED_HOSTS') && !`${message} ${detail}`.includes('10.7'),
  )
  await out.close()
})

test('in development a loopback address is called over http, without cookies and with a neutral user agent [VP-U6]', async () => {
  seen = []
  const answer = await development.fetch(platformTenantId, `${at}/json`, plain)
  assert.deepEqual([answer.status, answer.contentType, answer.body.toString()], [200, 'application/json', '{"a":1}'])
  assert.equal(seen[0]?.headers['user-agent'], 'Mozilla/5.0')
  assert.equal(seen[0]?.headers.accept, 'application/json')
  assert.equal(seen[0]?.headers.cookie, undefined)
})

test('statuses other than 2xx are responses', async () => {
  const answer = await development.fetch(platformTenantId, `${at}/404`, plain)
  assert.deepEqual([answer.status, answer.body.toString()], [404, 'no such'])
  assert.equal((await development.fetch(platformTenantId, `${at}/204`, plain)).status, 204)
})

for (const [path, code] of [
  ['/html', 'upstream.media_type'],
  ['/br', 'upstream.media_type'],
  ['/big', 'upstream.too_large'],
  ['/endless', 'upstream.too_large'],
  ['/bomb', 'upstream.too_large'],
  ['/headers', 'upstream.too_large'],
  ['/silent', 'upstream.timeout'],
] as const) {
  test(`${path} is ${code}`, async () => {
    await assert.rejects(development.fetch(platformTenantId, at + path, { ...plain, timeoutMs: 500 }), { code })
  })
}

for (const path of ['/gzip', '/deflate', '/deflate-raw']) {
  test(`${path} is decoded`, async () => {
    assert.equal((await development.fetch(platformTenantId, at + path, plain)).body.toString(), '{"a":1}')
  })
}

test('a closed port is unreachable', async () => {
  await assert.rejects(development.fetch(platformTenantId, 'http://127.0.0.1:1/', plain), {
    code: 'upstream.unreachable',
  })
})

test('redirects are responses by default, and followed up to redirectsMax', async () => {
  assert.equal((await development.fetch(platformTenantId, `${at}/to-json`, plain)).status, 302)
  assert.equal(
    (await development.fetch(platformTenantId, `${at}/to-to-json`, { ...plain, redirectsMax: 1 })).status,
    302,
  )
  assert.equal(
    (await development.fetch(platformTenantId, `${at}/to-to-json`, { ...plain, redirectsMax: 2 })).body.toString(),
    '{"a":1}',
  )
})

test('every hop is vetted', async () => {
  for (const path of ['/to-private', '/to-file']) {
    const call = development.fetch(platformTenantId, at + path, { ...plain, redirectsMax: 3 })
    await assert.rejects(call, { code: 'upstream.refused' })
  }
})

test('a body or a token never follows a redirect', async () => {
  seen = []
  const posted = { ...plain, method: 'POST', body: 'code=1', redirectsMax: 3 } as const
  assert.equal((await development.fetch(platformTenantId, `${at}/to-json`, posted)).status, 302)
  const credentialed = { ...plain, headers: { Authorization: 'Bearer x' }, redirectsMax: 3 }
  assert.equal((await development.fetch(platformTenantId, `${at}/to-json`, credentialed)).status, 302)
  assert.equal(seen.length, 2)
})

test('our own addresses are dispatched in the process', async () => {
  const out = anOutbound(false, { resolve: nowhere })
  const own = await out.fetch(platformTenantId, 'https://us.example/issuers/a?b=c', plain)
  assert.deepEqual(JSON.parse(own.body.toString()), { path: '/issuers/a?b=c', host: 'us.example' })
  const group = await out.fetch(platformTenantId, 'https://creds.us.example/v1/types', plain)
  assert.deepEqual(JSON.parse(group.body.toString()), { path: '/v1/types', host: 'creds.us.example' })
  await assert.rejects(out.fetch(platformTenantId, 'https://creds.us.example/other', plain), {
    code: 'upstream.refused',
  })
  await assert.rejects(out.fetch(platformTenantId, 'https://us.example/', { ...plain, bytesMax: 3 }), {
    code: 'upstream.too_large',
  })
  await out.close()
})
