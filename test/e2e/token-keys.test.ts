// Everything that a deployment signs, signed in a token.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { renameSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { attributes, objectClasses } from '../../packages/pkcs11/src/cryptoki.ts'
import { loadModule } from '../../packages/pkcs11/src/load-module.ts'
import { publicPoint, rsaNumbers } from '../../packages/pkcs11/src/objects.ts'
import { findSlot, openSession } from '../../packages/pkcs11/src/session.ts'
import { readUlong, template, ULONG_BYTES, ulong } from '../../packages/pkcs11/src/structs.ts'
import { meddle } from '../../packages/pkcs11/src/test-support/meddle.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'
import { softHsm } from '../support/softhsm.ts'

const hsm = softHsm()
let chirograph: Deployment
let school: Api
let thandi: Api

before(async () => {
  // A server to a process, as it is meant: a module knows one caller in it.
  chirograph = await deploy({}, hsm.settings, {}, 1)
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
})
after(async () => {
  await chirograph.stop()
  hsm.close()
})

const root = {
  type: 'issuerRoot',
  keyType: 'P-256',
  countryName: 'ZA',
  issuerAlternativeNameUrl: 'https://acme.example',
}

/** The points of all public keys in the token, and the moduli of those of RSA. */
async function pointsInToken(): Promise<Buffer[]> {
  const module = await loadModule(hsm.module)
  const handle = await openSession(module, await findSlot(module, { label: hsm.label }))
  const found = Buffer.alloc(100 * ULONG_BYTES)
  const count = ulong()
  const wanted = template([[attributes.CKA_CLASS, objectClasses.publicKey]], module.addressOf)
  await module.call('C_FindObjectsInit', handle, wanted, 1)
  await module.call('C_FindObjects', handle, found, 100, count)
  await module.call('C_FindObjectsFinal', handle)
  const points: Buffer[] = []
  for (let at = 0; at < Number(readUlong(count)); at++) {
    const key = readUlong(found, at * ULONG_BYTES)
    const numbers = await rsaNumbers({ module, handle }, key).catch(() => null)
    points.push(numbers === null ? await publicPoint({ module, handle }, key) : numbers.n)
  }
  await module.call('C_CloseSession', handle)
  return points
}

type Jwk = { x?: string | undefined; y?: string | undefined; n?: string | undefined }

async function isInToken({ x = '', y = '', n = '' }: Jwk): Promise<boolean> {
  const point = Buffer.concat([x, y, n].map((one) => Buffer.from(one, 'base64url')))
  assert(point.length >= 32)
  return (await pointsInToken()).some((one) => one.subarray(-point.length).equals(point))
}

/** A request of `acme` for the name on a badge. */
async function createRequest(type: string) {
  const credentials = [{ type, attributes: { name: {} } }]
  const body = { name: 'Who', description: '', credentials }
  const { id: presentationTemplateId } = (await school.post('/creds/templates/presentations', body)).body.data
  return (await school.post('/creds/presentations/request', { presentationTemplateId })).body.data
}

test('a credential is signed in the token, kept, presented and verified; so are request, status list and access token', async () => {
  const { id, type } = await makeTemplate(school, 'badge')
  const { offerUri } = await openIssuance(school, id)
  const kept = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(kept.status, 201, JSON.stringify(kept.body))
  const credentialId = kept.body.data[0].id
  await thandi.patch(`/wallet/v2/credentials/${credentialId}`, { status: 'accepted' })

  const request = await createRequest(type)
  const prepared = await thandi.post('/wallet/v2/presentations', {
    presentationRequest: request.authorizationRequestUri,
  })
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  assert.equal(prepared.body.meta.verifier.authenticated, true)
  await thandi.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, { status: 'answered' })
  const result = await school.get(`/creds/presentations/${request.id}`)
  assert.equal(result.body.data.status, 'verified', JSON.stringify(result.body))

  const did = await chirograph.nobody.get('/issuers/acme/did.json')
  const platform = await chirograph.nobody.get('/auth/jwks')
  const published = [
    ...did.body.verificationMethod.map((one: { publicKeyJwk: object }) => one.publicKeyJwk),
    ...(platform.body.keys ?? []),
  ]
  assert(published.length >= 3)
  assert(published.some(({ kty }) => kty === 'RSA'))
  for (const jwk of published) assert(await isInToken(jwk), JSON.stringify(jwk))
})

for (const keyType of ['P-256', 'Ed25519']) {
  test(`a root with a ${keyType} key and its leaf have their keys in the token, and sign there`, async () => {
    const made = await school.post('/creds/certificates', { ...root, keyType })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const pem = await school.get(`/creds/certificates/${made.body.data.id}`, {
      accept: 'application/x-pem-file',
    })
    const certificate = new X509Certificate(pem.body)
    assert(certificate.verify(certificate.publicKey))
    assert(await isInToken(certificate.publicKey.export({ format: 'jwk' })))
    const { body: list } = await school.get('/creds/certificates?filter[type]=issuerSignCredential')
    for (const { id } of list.data) {
      const { body: chain } = await school.get(`/creds/certificates/${id}`, {
        accept: 'application/x-pem-file',
      })
      const leaf = new X509Certificate(chain)
      assert(await isInToken(leaf.publicKey.export({ format: 'jwk' })))
    }
  })
}

test('a token that cannot be reached makes the server unready, and requests that need a key try again later', async () => {
  const { id } = await makeTemplate(school, 'pass')
  assert.equal((await chirograph.nobody.get('/readyz')).status, 200)
  renameSync(hsm.pinFile, `${hsm.pinFile}.away`)
  const module = await loadModule(hsm.module)
  meddle(hsm.module, 'C_CloseAllSessions', await findSlot(module, { label: hsm.label }))

  // The answer is kept for a second.
  await setTimeout(1100)
  const unready = await chirograph.nobody.get('/readyz')
  assert.deepEqual([unready.status, unready.body.failed], [503, ['keys']])
  const refused = await school.post('/creds/certificates', { ...root, type: 'verifierRoot' })
  assert.equal(refused.status, 503, JSON.stringify(refused.body))
  assert.equal(refused.body.errors[0].code, 'UNAVAILABLE')
  assert(!JSON.stringify(refused.body).includes('PKCS11'))

  renameSync(`${hsm.pinFile}.away`, hsm.pinFile)
  await setTimeout(1100)
  assert.equal((await chirograph.nobody.get('/readyz')).status, 200)
  const { offerUri } = await openIssuance(school, id)
  const kept = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(kept.status, 201, JSON.stringify(kept.body))
})

test('a server does not start with a wrong PIN or without the module, and says which setting to look at', async () => {
  for (const [change, says] of [
    [{ PKCS11_PIN_FILE: '/nowhere/pin' }, /^PKCS11_PIN_FILE cannot be read \(ENOENT\)$/],
    [{ PKCS11_MODULE: '/nowhere/module.so' }, /^PKCS11_MODULE cannot be loaded/],
    [{ PKCS11_TOKEN: 'another' }, /^PKCS11_TOKEN: there is no token/],
  ] as const) {
    await assert.rejects(deploy({}, { ...hsm.settings, ...change }), (error) => {
      assert(error instanceof Error)
      assert.match(error.message, says)
      return true
    })
  }
})
