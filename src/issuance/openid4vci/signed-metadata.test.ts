import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import type { TestDatabase } from '../../../test/support/database.ts'
import { readCertificate } from '../../crypto/x509/certificate.ts'
import { aDatabase, anIssuer, anOffer, aRoot, type Issuer } from '../test-support/issuer.ts'

const JWT = 'application/jwt'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  await anOffer(issuer)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

function metadata(accept?: string) {
  const path = `/.well-known/openid-credential-issuer/issuers/${issuer.tenant.slug}`
  return issuer.open(path, accept === undefined ? {} : { headers: { accept } })
}

async function signedBy(key: object, token: string) {
  const { payload } = await compactVerify(token, await importJWK({ ...key }, 'ES256'))
  return JSON.parse(Buffer.from(payload).toString())
}

test('[VCI-M4] [VCI-M20] signed metadata have the members of the plain ones, and verify with the published key', async () => {
  const { status, headers, body } = await metadata(JWT)
  assert.deepEqual([status, headers['content-type'], headers.vary], [200, JWT, 'accept, accept-language'])
  const { keys } = (await issuer.open(`/.well-known/jwt-vc-issuer/issuers/${issuer.tenant.slug}`)).body.jwks
  assert.equal(decodeProtectedHeader(body).typ, 'openidvci-issuer-metadata+jwt')
  const { sub, iss, iat, ...members } = await signedBy(keys[0], body)
  const address = issuer.platform.urls.issuer(issuer.tenant.slug)
  assert.deepEqual(
    [sub, iss, iat],
    [address, issuer.platform.urls.did(issuer.tenant.slug), issuer.clock.at.getTime() / 1000],
  )
  assert.deepEqual(members, (await metadata()).body)
})

test('[VCI-M4] [VCI-M21] with a certificate, signed metadata carry its chain', async () => {
  await aRoot(issuer)
  issuer.clock.at = new Date(issuer.clock.at.getTime() + 6_000)
  const { body } = await metadata(JWT)
  const { x5c, kid } = decodeProtectedHeader(body)
  assert.equal(kid, undefined)
  const { publicKey } = readCertificate(Buffer.from(x5c?.[0] ?? '', 'base64'))
  const claims = await signedBy(publicKey?.export({ format: 'jwk' }) ?? {}, body)
  assert.equal(claims.iss, issuer.platform.urls.issuer(issuer.tenant.slug))
})

for (const accept of [
  'application/jwt, application/json',
  'application/json, application/jwt',
  'application/jwt, */*',
  'application/json;q=0.8, Application/JWT;q=0.9',
  'application/jwt;q=0.2, application/*;q=0.2, */*;q=0.1',
]) {
  test(`[VCI-M4] metadata are signed for Accept: ${accept}`, async () => {
    assert.equal((await metadata(accept)).headers['content-type'], JWT)
  })
}

for (const accept of [
  undefined,
  '*/*',
  'application/json',
  'application/json, application/jwt;q=0.5',
  'text/html',
  'application/*',
  'application/json;q=0.1, */*',
  'application/jwt;q=0.5, */*',
  'application/jwt;q=0',
]) {
  test(`[VCI-M4] [VCI-M22] metadata are JSON for Accept: ${accept}`, async () => {
    assert.equal((await metadata(accept)).headers['content-type'], 'application/json')
  })
}
