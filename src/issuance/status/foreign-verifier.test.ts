import assert from 'node:assert/strict'
import { createHash, verify } from 'node:crypto'
import { after, before, test } from 'node:test'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import type { TestDatabase } from '../../../test/support/database.ts'
import { readOwnJson } from '../../crypto/json.ts'
import { importPublicJwk, type PublicJwk } from '../../crypto/jwk.ts'
import { keyFor, readDidDocument } from '../../protocols/did/did-document.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { parseStatusListToken } from '../../protocols/status-list/status-list-token.ts'
import { aDatabase, aKey, anIssuer, aRoot, aToken, type Issuer, request } from '../test-support/issuer.ts'

// Verifiers built on @sd-jwt/sd-jwt-vc check a status list with the key of the credential, whatever key the list names.
let db: TestDatabase
before(async () => {
  db = await aDatabase()
})
after(() => db.close())

async function credentialOf(issuer: Issuer) {
  const made = await aToken(issuer)
  const { body } = await request(issuer, made.token, made.template.code, [aKey()])
  const credential: string = body.credentials[0].credential
  return { credential, id: made.issuance.credentials[0].id as string, header: parseSdJwt(credential).jwt.header }
}

/** The library's own status check. @param key The key of the credential. */
function checkedBy(issuer: Issuer, key: PublicJwk, credential: string) {
  const publicKey = importPublicJwk(key)
  const library = new SDJwtVcInstance({
    hasher: (text) =>
      createHash('sha256')
        .update(typeof text === 'string' ? text : new Uint8Array(text))
        .digest(),
    hashAlg: 'sha-256',
    verifier: (data, signature) =>
      verify(
        'sha256',
        Buffer.from(data),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
    statusListFetcher: async (uri) => (await issuer.open(uri)).body,
  })
  return library.verify(credential, { currentDate: issuer.clock.at.getTime() / 1000 })
}

async function keyInDocument(issuer: Issuer, kid: unknown): Promise<PublicJwk> {
  const { body } = await issuer.open(`/issuers/${issuer.tenant.slug}/did.json`)
  const document = typeof body === 'string' ? readOwnJson(Buffer.from(body)) : body
  const did = issuer.platform.urls.did(issuer.tenant.slug)
  return keyFor(readDidDocument(document, did), String(kid), 'assertionMethod')
}

test('[TS-10] the key of a did:web credential verifies its status list, revoked or not, also after a rotation', async () => {
  const issuer = await anIssuer(db)
  const { keys } = issuer.platform
  const old = await credentialOf(issuer)
  const oldKey = await keyInDocument(issuer, old.header.kid)
  await checkedBy(issuer, oldKey, old.credential)

  for (let rotations = 1; rotations <= 2; rotations += 1) {
    // Beyond the caches, and beyond the hour after which a retired key of another usage is destroyed.
    await keys.rotate(issuer.tenant.id, 'credential')
    issuer.clock.at = new Date(issuer.clock.at.getTime() + 3_700_000)
    const next = await credentialOf(issuer)
    assert.notEqual(next.header.kid, old.header.kid)
    await checkedBy(issuer, await keyInDocument(issuer, next.header.kid), next.credential)
    assert.deepEqual(await keyInDocument(issuer, old.header.kid), oldKey, 'the former key stays resolvable')
    await checkedBy(issuer, oldKey, old.credential)
  }

  assert.equal((await issuer.api('POST', '/credentials/revoke', { ids: [old.id] })).status, 200)
  await assert.rejects(checkedBy(issuer, oldKey, old.credential), /Status is not valid/)
  await issuer.server.close(0)
})

test('[TS-10] a repeated request after a rotation gets the key of its status list', async () => {
  const issuer = await anIssuer(db)
  const made = await aToken(issuer)
  const key = aKey()
  const kidOf = async () => {
    const { body } = await request(issuer, made.token, made.template.code, [key])
    return parseSdJwt(body.credentials[0].credential).jwt.header.kid
  }
  const first = await kidOf()
  await issuer.platform.keys.rotate(issuer.tenant.id, 'credential')
  assert.equal(await kidOf(), first)
  await issuer.server.close(0)
})

test('[TS-10] with a certificate, the list is signed by the chain of the credential', async () => {
  const issuer = await anIssuer(db)
  await aRoot(issuer)
  const { credential, header } = await credentialOf(issuer)
  const { uri } = (parseSdJwt(credential).jwt.payload as { status: { status_list: { uri: string } } }).status
    .status_list
  const list = parseStatusListToken((await issuer.open(uri)).body)
  assert.deepEqual(list.header.x5c, header.x5c)
  await issuer.server.close(0)
})
