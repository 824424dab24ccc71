// Credentials that are signed with certificates, read by openssl and jose, which know nothing of ours.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { compactVerify, importX509 } from 'jose'
import type { TestDatabase } from '../../../test/support/database.ts'
import { openSsl } from '../../../test/support/openssl.ts'
import { checkReceivedSdJwtVc } from '../../protocols/sd-jwt-vc/check-sd-jwt-vc.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { trustSchedules } from '../../trust/certificates/jobs.ts'
import { resolveIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { checkStatus } from '../../trust/status-lists/check-status.ts'
import { aForeignAuthority } from '../../trust/test-support/foreign-authority.ts'
import { trustedAnchors } from '../../trust/trusted-entities/tenant-trust.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  aRoot,
  aTemplate,
  aToken,
  type Body,
  type Issuer,
  redeem,
  request,
  someClaims,
} from '../test-support/issuer.ts'

const ssl = openSsl()
let db: TestDatabase
before(async () => {
  db = await aDatabase()
})
after(async () => {
  await db.close()
  ssl.close()
})

/** openssl reads the real clock, so here it is that time too; well within an hour, whenever the test runs. */
const HOUR_MS = 3_600_000
const present = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 20 * 60_000)
async function issuerNow(): Promise<Issuer> {
  const issuer = await anIssuer(db)
  issuer.clock.at = present
  return issuer
}

/** The credential of a fresh offer. */
async function aCredential(issuer: Issuer, template: object = {}): Promise<string> {
  const { token, template: made } = await aToken(issuer, template)
  const { status, body } = await request(issuer, token, made.code, [aKey()])
  assert.equal(status, 200, JSON.stringify(body))
  return body.credentials[0].credential
}
const headerOf = (credential: string): Body => parseSdJwt(credential).jwt.header
const payloadOf = (credential: string): Body => parseSdJwt(credential).jwt.payload
const pemOf = (der: string) => `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`

/** What we find wrong with a credential as a tenant that receives it. */
async function findingsOf(issuer: Issuer, credential: string, tenant = issuer.tenant): Promise<string[]> {
  const { platform, clock } = issuer
  const parsed = parseSdJwt(credential)
  const anchors = () => trustedAnchors(platform, tenant.id)
  const signer = await resolveIssuer({ ...platform, tenantId: tenant.id }, parsed.jwt, clock.at, anchors)
  const { payload } = parsed.jwt
  const agreed = { issuerKey: signer.key, now: clock.at, holderKey: null, vct: String(payload.vct) }
  const { findings } = checkReceivedSdJwtVc(parsed, agreed)
  const status = await checkStatus({ ...platform, tenantId: tenant.id }, payload.status, signer, clock.at, anchors)
  // Bound to a key that this test does not check.
  return [...signer.findings, ...findings, ...status].map(({ code }) => code).filter((code) => !code.startsWith('cnf.'))
}

describe('with an active issuer certificate', () => {
  test('[HAIP-30] [HAIP-31] credentials carry its chain without the root, and jose and openssl accept them', async () => {
    const issuer = await issuerNow()
    const root = await aRoot(issuer)
    const credential = await aCredential(issuer)
    const { x5c, kid, alg } = headerOf(credential)
    assert.deepEqual([x5c.length, kid, alg], [1, undefined, 'ES256'])
    const leaf = new X509Certificate(Buffer.from(x5c[0], 'base64'))
    const iss = issuer.platform.urls.issuer(issuer.tenant.slug)
    assert.deepEqual([payloadOf(credential).iss, leaf.subjectAltName?.split(', ')[0]], [iss, `URI:${iss}`])
    assert.equal(leaf.checkIssued(leaf), false)
    const { cnf, status } = payloadOf(credential)
    assert.deepEqual([Object.keys(cnf), Object.keys(status)], [['jwk'], ['status_list']])
    await compactVerify(credential.split('~')[0] ?? '', await importX509(pemOf(x5c[0]), alg))
    ssl.file('root.pem', root.certificate)
    const at = String(payloadOf(credential).iat)
    assert.match(
      ssl.run('verify', '-x509_strict', '-attime', at, '-CAfile', 'root.pem', ssl.file('leaf.pem', pemOf(x5c[0]))),
      /OK/,
    )
    assert.deepEqual(await findingsOf(issuer, credential), [])
  })

  test('on Ed25519 they are signed with EdDSA, and the metadata says so, unless there is one on P-256 too', async () => {
    const issuer = await issuerNow()
    const made = await issuer.api('POST', '/templates/credentials', aTemplate())
    const algs = async () => {
      const { body } = await issuer.open(`/.well-known/openid-credential-issuer/issuers/${issuer.tenant.slug}`)
      return body.credential_configurations_supported[made.body.data.code].credential_signing_alg_values_supported
    }
    assert.deepEqual(await algs(), ['ES256'])
    await aRoot(issuer, { keyType: 'Ed25519' })
    assert.deepEqual(await algs(), ['EdDSA'])
    const credential = await aCredential(issuer)
    const { alg, x5c } = headerOf(credential)
    assert.equal(alg, 'EdDSA')
    await compactVerify(credential.split('~')[0] ?? '', await importX509(pemOf(x5c[0]), alg))
    assert.deepEqual(await findingsOf(issuer, credential), [])
    await aRoot(issuer)
    assert.deepEqual(await algs(), ['ES256'])
    assert.equal(headerOf(await aCredential(issuer)).alg, 'ES256')
    const wanted = await aCredential(issuer, { signer: { kind: 'certificate', keyType: 'Ed25519' } })
    assert.equal(headerOf(wanted).alg, 'EdDSA')
  })
})

describe('beside an active issuer certificate', () => {
  test('a template may still require the did:web key, and another tenant does not use the certificate', async () => {
    const issuer = await issuerNow()
    const before = await aCredential(issuer)
    await aRoot(issuer)
    const did = issuer.platform.urls.did(issuer.tenant.slug)
    const wanted = await aCredential(issuer, { signer: { kind: 'did:web' } })
    for (const credential of [before, wanted]) {
      assert.deepEqual([payloadOf(credential).iss, headerOf(credential).x5c], [did, undefined])
      assert.deepEqual(await findingsOf(issuer, credential), [])
    }
    const other = await issuer.anotherTenant()
    const certified = await aCredential(issuer)
    assert.deepEqual(await findingsOf(issuer, certified, other), ['chain.no_anchor'])
    const asked = { signer: { kind: 'certificate' } }
    const { body } = await issuer.api('POST', '/templates/credentials', aTemplate(asked), other)
    const ask = { credentialTemplateId: body.data.id, attributes: someClaims }
    assert.equal((await issuer.api('POST', '/credentials/issuance', ask, other)).status, 409)
  })
})

describe('a template that requires a certificate', () => {
  const signer = { kind: 'certificate' } as const
  const tryOpen = async (issuer: Issuer, wanted: object = signer) => {
    const { body } = await issuer.api('POST', '/templates/credentials', aTemplate({ signer: wanted }))
    const ask = { credentialTemplateId: body.data.id, attributes: someClaims }
    return issuer.api('POST', '/credentials/issuance', ask)
  }

  test('is offered only where there is one of its key type, and the refusal says what is missing', async () => {
    const issuer = await issuerNow()
    for (const [wanted, keyType] of [
      [signer, null],
      [{ ...signer, keyType: 'P-256' }, 'P-256'],
      [{ ...signer, keyType: 'Ed25519' }, 'Ed25519'],
    ] as const) {
      const { status, body } = await tryOpen(issuer, wanted)
      assert.deepEqual([status, body.errors[0].code], [409, 'NO_ACTIVE_CERTIFICATE'])
      assert.match(body.errors[0].detail, /no active issuer certificate.*POST \/certificates/)
      assert.deepEqual(body.errors[0].meta, { kind: 'issuer', keyType })
    }
    await aRoot(issuer)
    assert.equal((await tryOpen(issuer)).status, 200)
    assert.equal((await tryOpen(issuer, { ...signer, keyType: 'Ed25519' })).status, 409)
  })

  test('is not signed with another key when the certificate is switched off; the wallet may come again', async () => {
    const issuer = await issuerNow()
    const root = await aRoot(issuer)
    const { token, template } = await aToken(issuer, { signer })
    await issuer.api('POST', `/certificates/${root.id}/deactivate`)
    const key = aKey()
    const refused = await request(issuer, token, template.code, [key])
    assert.deepEqual([refused.status, refused.body.error], [400, 'credential_request_denied'])
    assert.doesNotMatch(refused.body.error_description, /POST/)
    await issuer.api('POST', `/certificates/${root.id}/activate`)
    const { body } = await request(issuer, token, template.code, [key])
    assert.equal(headerOf(body.credentials[0].credential).x5c.length, 1)
  })

  test('a change of the active certificate counts at once here, and within 5 s in another process', async () => {
    const issuer = await issuerNow()
    const elsewhere = await anIssuer(db, undefined, {}, issuer.tenant)
    elsewhere.clock.at = present
    assert.equal(headerOf(await aCredential(elsewhere)).x5c, undefined)
    const root = await aRoot(issuer)
    assert.equal(headerOf(await aCredential(issuer)).x5c.length, 1)
    elsewhere.clock.at = new Date(present.getTime() + 5_000)
    assert.equal(headerOf(await aCredential(elsewhere)).x5c.length, 1)
    await issuer.api('POST', `/certificates/${root.id}/deactivate`)
    assert.equal(headerOf(await aCredential(issuer)).x5c, undefined)
    elsewhere.clock.at = new Date(present.getTime() + 10_000)
    assert.equal((await tryOpen(elsewhere)).status, 409)
    await issuer.api('POST', `/certificates/${root.id}/activate`)
    assert.equal((await tryOpen(elsewhere)).status, 200)
    await elsewhere.server.close(0)
  })
})

describe('a certificate of an authority outside', () => {
  const plain = 'keyUsage=critical,digitalSignature'
  /** Signs a request of the tenant, dated with the real clock. */
  async function imported(issuer: Issuer, names: string | null, keyType = 'P-256') {
    const authority = aForeignAuthority(ssl)
    issuer.clock.at = new Date(Math.floor(Date.now() / 1000) * 1000 + 60_000)
    const body = { type: 'issuerSignCredential', keyType, countryName: 'ZA' }
    const csr = (await issuer.api('POST', '/certificates/csrs', body)).body.data
    const extensions = names === null ? plain : `${plain}\nsubjectAltName=${names}`
    const certificate = authority.sign(csr.certificateSigningRequest, { extensions })
    const path = `/certificates/csrs/${csr.id}/import`
    const made = await issuer.api('POST', path, { certificate, chain: [authority.root] })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return new X509Certificate(certificate)
  }

  test('signs where it names the issuer, never with an iat before its own beginning, and without its root', async () => {
    const issuer = await issuerNow()
    const leaf = await imported(issuer, `URI:${issuer.platform.urls.issuer(issuer.tenant.slug)}`)
    const credential = await aCredential(issuer)
    const { x5c } = headerOf(credential)
    assert.deepEqual(x5c, [leaf.raw.toString('base64')])
    const hour = Math.floor(issuer.clock.at.getTime() / HOUR_MS) * 3600
    assert.equal(payloadOf(credential).iat, Math.max(hour, leaf.validFromDate.getTime() / 1000))
    // an hour later the rounding is harmless
    issuer.clock.at = new Date(issuer.clock.at.getTime() + HOUR_MS)
    assert.equal(payloadOf(await aCredential(issuer)).iat, hour + 3600)
  })

  test('[VC-20] that does not name the issuer signs nothing in its name: did:web steps in, or 409 says why', async () => {
    for (const names of [null, 'URI:https://elsewhere.example/issuers/acme']) {
      const issuer = await issuerNow()
      await imported(issuer, names)
      assert.equal(headerOf(await aCredential(issuer)).x5c, undefined)
      const { body: made } = await issuer.api(
        'POST',
        '/templates/credentials',
        aTemplate({ signer: { kind: 'certificate' } }),
      )
      const ask = { credentialTemplateId: made.data.id, attributes: someClaims }
      const { status, body } = await issuer.api('POST', '/credentials/issuance', ask)
      const url = issuer.platform.urls.issuer(issuer.tenant.slug)
      assert.deepEqual([status, body.errors[0].code, body.errors[0].meta.missing], [409, 'NO_ACTIVE_CERTIFICATE', url])
      assert.match(body.errors[0].detail, /subjectAltName/)
      await aRoot(issuer, { keyType: 'Ed25519' })
      assert.equal(headerOf(await aCredential(issuer)).alg, 'EdDSA')
    }
  })
})

describe('credentials outlive what signed them', () => {
  test('after its leaf was renewed a credential and its status still hold, and the next one is of the next leaf', async () => {
    const issuer = await issuerNow()
    await aRoot(issuer)
    const old = await aCredential(issuer, { validUntil: { future: { years: 5 } } })
    issuer.clock.at = new Date(present.getTime() + 300 * 24 * HOUR_MS)
    const renew = trustSchedules.find(({ name }) => name === 'trust.renew-leafs')
    await renew?.run(issuer.platform, new AbortController().signal)
    issuer.clock.at = new Date(issuer.clock.at.getTime() + 61_000)
    const next = await aCredential(issuer)
    assert.notDeepEqual(headerOf(next).x5c, headerOf(old).x5c)
    for (const credential of [old, next]) assert.deepEqual(await findingsOf(issuer, credential), [])
    // after the end of the first leaf too
    issuer.clock.at = new Date(present.getTime() + 500 * 24 * HOUR_MS)
    await renew?.run(issuer.platform, new AbortController().signal)
    assert.deepEqual(await findingsOf(issuer, old), [])
  })

  test('a lost answer that is asked for again when another certificate signs is signed as it was, its status too', async () => {
    for (const first of [null, 'P-256'] as const) {
      const issuer = await issuerNow()
      if (first !== null) await aRoot(issuer)
      const { token, template } = await aToken(issuer)
      const key = aKey()
      const one = (await request(issuer, token, template.code, [key])).body.credentials[0].credential
      const next = await aRoot(issuer)
      if (first !== null) await issuer.api('POST', `/certificates/${next.id}/activate`)
      const two = (await request(issuer, token, template.code, [key])).body.credentials[0].credential
      const { _sd: _, ...claims } = payloadOf(one)
      assert.partialDeepStrictEqual(payloadOf(two), claims)
      assert.deepEqual(headerOf(two), headerOf(one))
      assert.deepEqual(await findingsOf(issuer, two), [])
      assert.notDeepEqual(headerOf(await aCredential(issuer)), headerOf(one))
    }
  })

  test('under a revoked certificate nothing holds and nothing is signed again', async () => {
    const issuer = await issuerNow()
    const root = await aRoot(issuer)
    const { token, template } = await aToken(issuer)
    const key = aKey()
    const { body } = await request(issuer, token, template.code, [key])
    await issuer.api('POST', `/certificates/${root.id}/revoke`)
    const [finding] = await findingsOf(issuer, body.credentials[0].credential)
    assert.equal(finding, 'chain.no_anchor')
    const again = await request(issuer, token, template.code, [key])
    assert.equal(again.body.error, 'credential_request_denied')
  })
})

test('with a certificate an issuance costs no statement more than without', async () => {
  const counts: number[] = []
  for (const withRoot of [false, true]) {
    const issuer = await issuerNow()
    if (withRoot) await aRoot(issuer)
    const { body } = await issuer.api('POST', '/templates/credentials', aTemplate())
    const issue = async () => {
      const ask = { credentialTemplateId: body.data.id, attributes: someClaims }
      const opened = await issuer.api('POST', '/credentials/issuance', ask)
      const uri = new URL(opened.body.data.offerUri).searchParams.get('credential_offer_uri') ?? ''
      const { grants } = (await issuer.open(uri)).body
      const [grant] = Object.values(grants) as { 'pre-authorized_code': string }[]
      const granted = await redeem(issuer, grant?.['pre-authorized_code'] ?? '')
      assert.equal((await request(issuer, granted.body.access_token, body.data.code, [aKey()])).status, 200)
    }
    await issue()
    const before = db.store.counts.statements
    await issue()
    counts.push(db.store.counts.statements - before)
  }
  assert.equal(counts[0], counts[1])
})
