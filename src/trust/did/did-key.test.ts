import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../config.ts'
import { Fault } from '../../fault.ts'
import { Memory } from '../../memory/memory.ts'
import { platformTenantId } from '../../store/store.ts'
import { didKey } from './did-key.ts'

for (const [publicUrl, asked] of [
  ['http://localhost:8443', 'http://localhost:8443/issuers/acme/did.json'],
  ['https://localhost:8443', 'https://localhost:8443/issuers/acme/did.json'],
] as const) {
  test(`a did:web of this deployment is fetched as ${publicUrl} is reached`, async () => {
    const calls: string[] = []
    const fetch = (_tenantId: string, url: string) => {
      calls.push(url)
      return Promise.reject(new Fault('upstream.unreachable'))
    }
    const config = { ...readConfig({ PUBLIC_URL: 'http://localhost:8443' }), publicUrl, isDevelopment: true }
    const key = didKey(
      { fetch, config, memory: new Memory(), tenantId: platformTenantId },
      'did:web:localhost%3A8443:issuers:acme',
      null,
      new Date(),
    )
    await assert.rejects(key, { code: 'upstream.unreachable' })
    assert.deepEqual(calls, [asked])
  })
}
