import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { openSsl } from '../../../test/support/openssl.ts'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import { forgetTenants } from '../../directory/tenants/find-tenant.ts'
import {
  type Authority,
  anAuthority,
  aRoot,
  aRootBody,
  audit,
  DAY_MS,
  leafOf,
  list,
  start,
  textOf,
} from '../test-support/authority.ts'
import { activeSigner, findActiveSigner } from './active-signer.ts'

const ssl = openSsl()
let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(async () => {
  await db.close()
  ssl.close()
})

async function refusedWith(authority: Authority, body: object, pointer: string): Promise<void> {
  const reply = await authority.api('POST', '/certificates', body)
  assert.equal(reply.status, 400, JSON.stringify(reply.body))
  assert(reply.body.errors.some((one: { source?: { pointer?: string } }) => one.source?.pointer === pointer))
}

test('an issuer root is an IACA certificate with every field of ISO/IEC 18013-5, B.1.2, and answers as the contract says [CSR-4] [CSR-5] [X5-1]', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority, { countryName: 'za', commonName: 'Überprüfung' })
  const { id, createdAt, updatedAt, expiresAt, subjectKeyIdentifier, certificate, ...others } = root
  const { serialNumber, fingerprint, validFrom, ...rest } = others
  assert.deepEqual(rest, {
    type: 'issuerRoot',
    keyType: 'P-256',
    status: 'active',
    capabilities: { signMdl: true },
    parentCertificateId: '',
    origin: 'root',
    subject: 'CN=Überprüfung,C=ZA',
    issuer: 'CN=Überprüfung,C=ZA',
  })
  const x509 = new X509Certificate(certificate)
  assert.equal(serialNumber, x509.serialNumber.toLowerCase())
  assert.equal(fingerprint, x509.fingerprint256.replaceAll(':', '').toLowerCase())
  assert.equal(Date.parse(validFrom), Date.parse(x509.validFrom))
  assert.match(subjectKeyIdentifier, /^[0-9a-f]{40}$/)
  assert.equal(createdAt, updatedAt)
  assert.equal(new Date(expiresAt).getUTCFullYear(), start.getUTCFullYear() + 5)
  assert.match(certificate, /^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/=]{1,64}\n)+-----END CERTIFICATE-----\n$/)
  const text = textOf(certificate)
  assert.match(text, /Subject: CN=Überprüfung,C=ZA/)
  assert.match(text, /URI:https:\/\/college\.example\n/)
  assert(text.includes(`URI:https://trust.example/issuers/${authority.tenant.slug}/crls/${id}.crl`))
  assert(text.replaceAll(':', '').toLowerCase().includes(subjectKeyIdentifier))
})

for (const [type, keyType, name, signMdl] of [
  ['issuerRoot', 'P-256', 'Acme College IACA', true],
  ['issuerRoot', 'Ed25519', 'Acme College Issuer Root', false],
  ['verifierRoot', 'P-256', 'Acme College Reader Root', false],
  ['verifierRoot', 'Ed25519', 'Acme College Reader Root', false],
] as const) {
  test(`${type} on ${keyType} has a name by itself, is active, and signs a leaf that openssl verifies [X5-6] [X5-7]`, async () => {
    const authority = await anAuthority(db)
    const root = await aRoot(authority, { type, keyType })
    assert.deepEqual([root.status, root.capabilities], ['active', { signMdl }])
    assert.match(textOf(root.certificate), new RegExp(`Subject: CN=${name},C=ZA`))
    const leaf = await leafOf(authority, root.id)
    assert.partialDeepStrictEqual(leaf, { keyType, status: 'active', capabilities: { signMdl } })
    const days = (Date.parse(leaf.expiresAt) - start.getTime()) / DAY_MS
    assert(days > 400 && days < 457)
    ssl.file('root.pem', root.certificate)
    assert.match(ssl.run('verify', '-x509_strict', '-CAfile', 'root.pem', ssl.file('leaf.pem', leaf.certificate)), /OK/)
    const text = textOf(leaf.certificate)
    const isIssuer = type === 'issuerRoot'
    const uri = `URI:https://trust.example/issuers/${authority.tenant.slug}, DNS:trust.example`
    assert(text.includes(isIssuer ? uri : '    DNS:trust.example\n'))
    assert.equal(text.includes('1.0.18013.5.1.2'), signMdl)
    assert.equal(text.includes('1.0.18013.5.1.6'), !isIssuer)
    const chain = await authority.api('GET', `/certificates/${leaf.id}`, undefined, undefined, 'application/x-pem-file')
    assert.equal(chain.headers['content-type'], 'application/x-pem-file')
    assert.equal(chain.body, leaf.certificate + root.certificate)
  })
}

test('a tenant may limit signers of mdocs to the usage of driving licences, also those that its root signs on request', async () => {
  const authority = await anAuthority(db)
  const { slug } = authority.tenant
  await applyBootstrap(authority.platform, {
    tenants: [{ slug, name: 'Acme', settings: { documentSignerUsages: 'mdl' } }],
  })
  forgetTenants(authority.platform)
  const root = await aRoot(authority)
  const csr = { type: 'issuerSignCredential', keyType: 'P-256', countryName: 'ZA', capabilities: { signMdl: true } }
  const made = await authority.api('POST', '/certificates/csrs', csr)
  const signed = await authority.api('POST', `/certificates/${root.id}/sign`, { csrId: made.body.data.id })
  assert.equal(signed.status, 201, JSON.stringify(signed.body))
  for (const { certificate } of [await leafOf(authority, root.id), signed.body.data])
    assert.match(textOf(certificate), /Extended Key Usage: critical\s+1\.0\.18013\.5\.1\.2\n/)
})

test('what signs is the leaf of the active root, with a chain that leaves the root out', async () => {
  const authority = await anAuthority(db)
  const { platform, tenant } = authority
  assert.equal(await findActiveSigner(platform, tenant.id, 'issuer'), null)
  await assert.rejects(activeSigner(platform, tenant.id, 'issuer', 'Ed25519'), {
    code: 'certificate.none_active',
    detail: /no active issuer certificate with a Ed25519 key/,
  })
  await aRoot(authority, { keyType: 'Ed25519' })
  assert.equal((await activeSigner(platform, tenant.id, 'issuer')).keyType, 'Ed25519')
  const root = await aRoot(authority)
  const signer = await activeSigner(platform, tenant.id, 'issuer')
  const leaf = await leafOf(authority, root.id)
  const body = leaf.certificate.replace(/-----.*-----|\n/g, '')
  assert.partialDeepStrictEqual(signer, { certificateId: leaf.id, keyType: 'P-256', x5c: [body], signMdl: true })
  assert.equal(signer.notAfter.toISOString(), leaf.expiresAt)
  assert(signer.notBefore < new Date(start.getTime() - 3_600_000))
  assert.equal(signer.leaf.publicKey?.export({ format: 'jwk' }).x, signer.key.publicJwk.x)
  assert.equal(await findActiveSigner(platform, tenant.id, 'verifier'), null)
})

test('the first of its kind and key type is active, the next waits until it is activated, and takes its place', async () => {
  const authority = await anAuthority(db)
  const first = await aRoot(authority)
  const next = await aRoot(authority)
  assert.equal(next.status, 'pendingActivation')
  assert.equal(await leafOf(authority, next.id), undefined)
  assert.equal((await aRoot(authority, { keyType: 'Ed25519' })).status, 'active')
  assert.equal((await aRoot(authority, { type: 'verifierRoot' })).status, 'active')
  const activated = await authority.api('POST', `/certificates/${next.id}/activate`)
  assert.deepEqual([activated.status, activated.body.data.status], [200, 'active'])
  const shown = await authority.api('GET', `/certificates/${first.id}`)
  assert.equal(shown.body.data.status, 'inactive')
  assert.equal((await leafOf(authority, first.id)).status, 'inactive')
  const signer = await activeSigner(authority.platform, authority.tenant.id, 'issuer')
  assert.equal(signer.certificateId, (await leafOf(authority, next.id)).id)
  // back again: its leaf is still good
  await authority.api('POST', `/certificates/${first.id}/activate`)
  assert.equal((await leafOf(authority, first.id)).status, 'active')
  const actions = (await audit(authority)).map(({ action }) => action)
  assert.equal(actions.filter((one) => one === 'certificate.activated').length, 2)
})

test('without an active one nothing signs; what is done already may be asked for again', async () => {
  const authority = await anAuthority(db)
  const { platform, tenant } = authority
  const root = await aRoot(authority)
  for (const _ of [1, 2]) {
    const reply = await authority.api('POST', `/certificates/${root.id}/deactivate`)
    assert.deepEqual([reply.status, reply.body.data.status], [200, 'inactive'])
  }
  assert.equal(await findActiveSigner(platform, tenant.id, 'issuer'), null)
  assert.equal((await aRoot(authority)).status, 'active')
})

const steps: readonly (readonly [what: string, before: readonly string[], then: string, detail: RegExp])[] = [
  ['a waiting one is not deactivated', [], 'deactivate', /pendingActivation cannot become inactive/],
  ['a revoked one is not activated', ['revoke'], 'activate', /revoked, and that is final/],
  ['a revoked one is not deactivated', ['revoke'], 'deactivate', /revoked, and that is final/],
]
for (const [what, before, then, detail] of steps) {
  test(`409: ${what}`, async () => {
    const authority = await anAuthority(db)
    await aRoot(authority)
    const { id } = await aRoot(authority)
    for (const step of before) await authority.api('POST', `/certificates/${id}/${step}`)
    const reply = await authority.api('POST', `/certificates/${id}/${then}`)
    assert.deepEqual([reply.status, reply.body.errors[0].code], [409, 'INVALID_STATE'])
    assert.match(reply.body.errors[0].detail, detail)
  })
}

test('409: a leaf follows its root, and an expired certificate stays as it is', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  const waiting = await aRoot(authority)
  const leaf = await leafOf(authority, root.id)
  await authority.api('POST', `/certificates/${root.id}/deactivate`)
  const reply = await authority.api('POST', `/certificates/${leaf.id}/activate`)
  assert.deepEqual([reply.status, /follows its root/.test(reply.body.errors[0].detail)], [409, true])
  authority.clock.at = new Date(start.getTime() + 5 * 366 * DAY_MS)
  for (const step of ['activate', 'deactivate', 'revoke']) {
    const late = await authority.api('POST', `/certificates/${waiting.id}/${step}`)
    assert.deepEqual([late.status, late.body.errors[0].meta.status], [409, 'expired'])
  }
  assert.equal((await aRoot(authority)).status, 'active')
})

test('an expired root makes room: the next one that is created is active', async () => {
  const authority = await anAuthority(db)
  const old = await aRoot(authority)
  authority.clock.at = new Date(start.getTime() + 5 * 366 * DAY_MS)
  assert.equal(await findActiveSigner(authority.platform, authority.tenant.id, 'issuer'), null)
  assert.equal((await aRoot(authority)).status, 'active')
  assert.equal((await authority.api('GET', `/certificates/${old.id}`)).body.data.status, 'expired')
})

for (const [what, more, pointer] of [
  ['a country that is not assigned', { countryName: 'UK' }, '/countryName'],
  ['a country of three letters', { countryName: 'ZAF' }, '/countryName'],
  ['a country of no letters', { countryName: '1!' }, '/countryName'],
  ['a relative address', { issuerAlternativeNameUrl: '/acme' }, '/issuerAlternativeNameUrl'],
  ['an address that is no http', { issuerAlternativeNameUrl: 'ldap://acme.example/x' }, '/issuerAlternativeNameUrl'],
  ['an address with a password', { issuerAlternativeNameUrl: 'https://a:b@acme.example' }, '/issuerAlternativeNameUrl'],
  ['a common name of 65 characters', { commonName: 'x'.repeat(65) }, '/commonName'],
  ['a common name of spaces', { commonName: '  ' }, '/commonName'],
  ['a common name with a line break', { commonName: 'a\nb' }, '/commonName'],
  ['another key type', { keyType: 'RSA' }, '/keyType'],
  ['another type', { type: 'documentSigner' }, '/type'],
  ['an unknown member', { pathLength: 3 }, '/pathLength'],
] as const) {
  test(`400: a root with ${what}`, async () => {
    await refusedWith(await anAuthority(db), aRootBody(more), pointer)
  })
}

test('the list keeps to its filters, and pages', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  await aRoot(authority)
  await aRoot(authority, { type: 'verifierRoot', keyType: 'Ed25519' })
  const types = (await list(authority)).map((one: { type: string }) => one.type)
  assert.deepEqual(types, ['issuerRoot', 'issuerSignCredential', 'issuerRoot', 'verifierRoot', 'verifierSignRequest'])
  const filtered = async (filter: string) => (await list(authority, `&${filter}`)).length
  assert.equal(await filtered('filter%5Btype%5D=issuerRoot'), 2)
  assert.equal(await filtered('filter%5Bstatus%5D=active'), 4)
  assert.equal(await filtered('filter%5Bstatus%5D=pendingActivation&filter%5BkeyType%5D=P-256'), 1)
  assert.equal(await filtered('filter%5BkeyType%5D=Ed25519'), 2)
  await authority.api('POST', `/certificates/${root.id}/revoke`)
  assert.equal(await filtered('filter%5Bstatus%5D=revoked'), 2)
  const page = await authority.api('GET', '/certificates?page%5Bsize%5D=2')
  assert.equal(page.body.data.length, 2)
  const rest = await authority.api('GET', `/certificates?page%5Bafter%5D=${page.body.meta.page.after}`)
  assert.equal(rest.body.data.length, 3)
})

test('a second tenant sees nothing of the first, and signs with its own', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  const other = await authority.anotherTenant()
  assert.deepEqual((await authority.api('GET', '/certificates', undefined, other)).body.data, [])
  for (const step of ['activate', 'deactivate', 'revoke']) {
    assert.equal((await authority.api('POST', `/certificates/${root.id}/${step}`, undefined, other)).status, 404)
  }
  assert.equal(await findActiveSigner(authority.platform, other.id, 'issuer'), null)
  const crl = await authority.open(`/issuers/${other.slug}/crls/${root.id}.crl`)
  assert.equal(crl.status, 404)
  assert.equal((await aRoot(authority, {}, other)).status, 'active')
  assert.equal((await authority.api('GET', `/certificates/${root.id}`)).body.data.status, 'active')
})

test('the roots of a tenant are public until they are revoked [X5-8]', async () => {
  const authority = await anAuthority(db)
  const [one, two] = [await aRoot(authority), await aRoot(authority, { type: 'verifierRoot' })]
  const shown = await authority.open(`/issuers/${authority.tenant.slug}/roots.pem`)
  assert.deepEqual([shown.status, shown.body], [200, one.certificate + two.certificate])
  await authority.api('POST', `/certificates/${one.id}/revoke`)
  assert.equal((await authority.open(`/issuers/${authority.tenant.slug}/roots.pem`)).body, two.certificate)
})
