import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../caller.ts'
import { newId } from '../../store/row-id.ts'
import { aDatabase, anIssuer, noon } from '../test-support/issuer.ts'
import { makeAccessToken, makeTokenSecret, readAccessToken } from './access-token.ts'

test('an access token says what it was granted for; with any byte changed, or at another tenant, it says nothing', async () => {
  const db = await aDatabase()
  const { platform, tenant, server, anotherTenant } = await anIssuer(db)
  const read = (token: string, id: TenantId = tenant.id) => readAccessToken(platform.sealing, id, token)
  const ids = { id: newId(), templateId: newId() }
  const granted = { ...ids, templateVersion: 7, identified: true, expiresAt: noon, jkt: null, clientId: null }
  const secret = makeTokenSecret()
  const token = await makeAccessToken(platform.sealing, tenant.id, secret, granted)
  assert.deepEqual(await read(token), { ...granted, tokenHash: secret.hash })
  assert.equal(await read(token, (await anotherTenant()).id), null)
  const bytes = Buffer.from(token, 'base64url')
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    assert.equal(await read(changed.toString('base64url')), null, `byte ${at}`)
  }
  for (const odd of ['', token.slice(1), `${token}A`, token.replace(/^./, '=')]) assert.equal(await read(odd), null)
  for (const holder of [
    { jkt: `${'A'.repeat(42)}E` },
    { clientId: 'https://wallet.example/é' },
    { jkt: `${'A'.repeat(42)}E`, clientId: 'w' },
  ]) {
    const owned = await makeAccessToken(platform.sealing, tenant.id, secret, { ...granted, ...holder })
    assert.deepEqual(await read(owned), { ...granted, ...holder, tokenHash: secret.hash })
    assert.equal(await read(owned.slice(0, -4)), null)
  }
  await server.close(0)
  await db.close()
})
