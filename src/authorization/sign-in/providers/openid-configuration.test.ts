import assert from 'node:assert/strict'
import { test } from 'node:test'
import { platformOn, withoutDatabase } from '../../../../test/support/platform.ts'
import { platformTenantId } from '../../../store/store.ts'
import type { IdentityProvider } from '../../access/identity-provider.ts'
import { OpenidProvider } from '../test-support/openid-provider.ts'
import { providerConfiguration } from './openid-configuration.ts'

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
    const about = { tenantId: platformTenantId, id: 'p', issuer: op.issuer, clientId: 'c', updatedAt: new Date(0) }
    const provider = { ...about, sealedClientSecret: null } as Partial<IdentityProvider> as IdentityProvider
    await assert.rejects(providerConfiguration(platform, provider), { code: 'upstream.answer' })
    op.lie = {}
    const found = await providerConfiguration(platform, provider)
    assert.equal(found.serverMetadata().token_endpoint, `${op.issuer}/token`)
  })
}
