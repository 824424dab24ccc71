import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { platformOn, withoutDatabase } from '../../../../test/support/platform.ts'
import { readConfig } from '../../../config.ts'
import { openOutbound } from '../../../http/outbound/outbound.ts'
import { Memory } from '../../../memory/memory.ts'
import { platformTenantId } from '../../../store/store.ts'
import type { IdentityProvider } from '../../access/identity-provider.ts'
import { OpenidProvider } from '../test-support/openid-provider.ts'
import { providerConfiguration } from './openid-configuration.ts'

function aProvider(issuer: string): IdentityProvider {
  const about = { tenantId: platformTenantId, id: 'p', issuer, clientId: 'c', updatedAt: new Date(0) }
  return { ...about, sealedClientSecret: null } as Partial<IdentityProvider> as IdentityProvider
}

for (const [endpoint, address] of [
  ['authorization_endpoint', 'javascript:alert(1)'],
  ['authorization_endpoint', 'http://op.example/authorize'],
  ['authorization_endpoint', undefined],
  ['token_endpoint', 'not an address'],
  ['jwks_uri', 'file:///etc/passwd'],
  ['userinfo_endpoint', 'javascript:alert(1)'],
] as const) {
  test(`a provider whose ${endpoint} is ${address} has no configuration`, async () => {
    const op = new OpenidProvider()
    op.lie = { metadata: { [endpoint]: address } }
    const platform = platformOn({ store: withoutDatabase, fetch: op.fetch })
    const provider = aProvider(op.issuer)
    await assert.rejects(providerConfiguration(platform, provider), { code: 'upstream.answer' })
    op.lie = {}
    const found = await providerConfiguration(platform, provider)
    assert.equal(found.serverMetadata().token_endpoint, `${op.issuer}/token`)
  })
}

test('an endpoint that a provider does not have may be null or empty, and one that no sign-in uses is not read', async () => {
  const op = new OpenidProvider()
  const platform = platformOn({ store: withoutDatabase, fetch: op.fetch })
  for (const absent of [null, '']) {
    op.lie = { metadata: { userinfo_endpoint: absent, end_session_endpoint: absent, service_documentation: absent } }
    const found = await providerConfiguration(platform, { ...aProvider(op.issuer), id: String(absent) })
    assert.equal(found.serverMetadata().userinfo_endpoint, undefined)
  }
  op.lie = { metadata: { end_session_endpoint: '/logout' } }
  assert.ok(await providerConfiguration(platform, aProvider(op.issuer)))
})

test('the metadata of a provider are found behind a redirect, and not if they are those of another issuer', async (t) => {
  const server = createServer(({ url }, response) => {
    if (url === '/.well-known/openid-configuration') {
      response.writeHead(301, { location: '/index.php/.well-known/openid-configuration' }).end()
      return
    }
    const [authorization_endpoint, token_endpoint, jwks_uri] = [
      `${issuer}/authorize`,
      `${issuer}/token`,
      `${issuer}/jwks`,
    ]
    const metadata = { issuer: stated, authorization_endpoint, token_endpoint, jwks_uri }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let stated = 'https://another.example'
  const config = readConfig({})
  const inside = () => Promise.reject(new Error('not called'))
  const outbound = openOutbound({ config, memory: new Memory(), inside })
  t.after(async () => {
    await outbound.close()
    server.close()
  })
  const platform = platformOn({ store: withoutDatabase, config, fetch: outbound.fetch })
  await assert.rejects(providerConfiguration(platform, aProvider(issuer)))
  stated = issuer
  const found = await providerConfiguration(platform, aProvider(issuer))
  assert.equal(found.serverMetadata().token_endpoint, `${issuer}/token`)
})
