import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../config.ts'
import type { Fault } from '../../fault.ts'
import { Memory } from '../../memory/memory.ts'
import { platformTenantId } from '../../store/store.ts'
import { openOutbound } from './outbound.ts'
import type { Resolve } from './vetted-address.ts'

const plain = { accept: [], bytesMax: 1000 }

/** A client of a production server. @returns the code of the refusal of a call */
function aCaller(context: TestContext, env: Record<string, string>, addresses: Readonly<Record<string, string>> = {}) {
  const resolve: Resolve = async (name) => {
    const address = addresses[name]
    if (address === undefined) throw new Error('no such name')
    return [{ address, family: address.includes(':') ? 6 : 4 }]
  }
  const config = { ...readConfig(env), isDevelopment: false }
  const inside = () => Promise.reject(new Error('not called'))
  const out = openOutbound({ config, memory: new Memory(), inside, resolve })
  context.after(() => out.close())
  return (url: string) =>
    out.fetch(platformTenantId, url, { ...plain, timeoutMs: 1500 }).then(
      () => null,
      (error: Fault) => error.code,
    )
}

/** A host that notes what it is sent first, and hangs up. */
async function aHost(context: TestContext, answer = '') {
  const received: string[] = []
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => {
      received.push(bytes.toString('latin1'))
      socket.end(answer)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  context.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, received }
}

test('a listed address is called, also as what a name resolves to; its neighbour is not', async (context) => {
  const host = await aHost(context)
  const call = aCaller(
    context,
    { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
    { 'a.example': '127.0.0.1', 'b.example': '127.0.0.2' },
  )
  assert.equal(await call(`https://127.0.0.1:${host.port}/`), 'upstream.unreachable')
  assert.equal(await call(`https://a.example:${host.port}/`), 'upstream.unreachable')
  assert.equal(host.received.length, 2)
  assert.equal(await call(`https://127.0.0.2:${host.port}/`), 'upstream.refused')
  assert.equal(await call(`https://b.example:${host.port}/`), 'upstream.refused')
  assert.equal(await call(`http://127.0.0.1:${host.port}/`), 'upstream.refused')
  assert.equal(await call('https://127.0.0.1:22/'), 'upstream.refused')
})

for (const [address, isCalled] of [
  ['10.1.2.3', true],
  ['192.168.7.1', true],
  ['fd12::1', true],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['fd00:ec2::254', false],
  ['100.100.100.200', false],
  ['0.0.0.0', false],
] as const) {
  const outcome = isCalled ? 'called' : 'refused'
  test(`a listed name that resolves to ${address} is ${outcome}, one that is not listed never`, async (context) => {
    const call = aCaller(context, { OUTBOUND_ALLOWED_HOSTS: '*.lan' }, { 'idp.lan': address, 'idp.example': address })
    assert.equal((await call('https://idp.lan/')) === 'upstream.refused', !isCalled)
    assert.equal(await call('https://idp.example/'), 'upstream.refused')
  })
}

test('HTTP_PROXY alone is the proxy of all calls, and HTTPS_PROXY precedes it', async (context) => {
  const [proxy, other] = [await aHost(context), await aHost(context)]
  const addresses = { 'public.example': '93.184.216.34' }
  const alone = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` }
  const both = { ...alone, HTTPS_PROXY: `http://127.0.0.1:${other.port}` }
  for (const env of [alone, both])
    assert.equal(await aCaller(context, env, addresses)('https://public.example/'), 'upstream.unreachable')
  assert.deepEqual([proxy.received.length, other.received.length], [1, 1])
  assert.match(proxy.received[0] ?? '', /^CONNECT public\.example:443 /)
})

test('a proxy is asked with its credentials for what may be called, and not for NO_PROXY', async (context) => {
  const proxy = await aHost(context, 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
  const host = await aHost(context)
  const call = aCaller(
    context,
    {
      HTTPS_PROXY: `http://user:secret@127.0.0.1:${proxy.port}`,
      NO_PROXY: 'direct.example',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
    { 'public.example': '93.184.216.34', 'inner.example': '10.0.0.1', 'direct.example': '127.0.0.1' },
  )
  assert.equal(await call('https://public.example/path'), 'upstream.unreachable')
  assert.match(proxy.received[0] ?? '', /^CONNECT public\.example:443 HTTP\/1\.1\r\n/)
  assert.match(proxy.received[0] ?? '', /proxy-authorization: Basic dXNlcjpzZWNyZXQ=/i)
  assert.equal(await call('https://only-the-proxy-knows.example/'), 'upstream.unreachable')
  assert.equal(proxy.received.length, 2)
  assert.equal(await call('https://inner.example/'), 'upstream.refused')
  assert.equal(await call('https://10.0.0.1/'), 'upstream.refused')
  assert.equal(await call(`https://direct.example:${host.port}/`), 'upstream.unreachable')
  assert.equal(proxy.received.length, 2)
  assert.equal(host.received.length, 1)
})
