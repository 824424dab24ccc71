// Requests of ours, signed by an authority that openssl is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { openSsl } from '../../../test/support/openssl.ts'
import { sql } from '../../store/store.ts'
import { activeSigner, findActiveSigner } from '../certificates/active-signer.ts'
import {
  type Authority,
  anAuthority,
  aRequest,
  aRoot,
  audit,
  DAY_MS,
  list,
  type Reply,
  start,
  type Tenant,
} from '../test-support/authority.ts'
import {
  aForeignAuthority,
  documentSigner,
  type ForeignAsk,
  type ForeignAuthority,
  plainSigner,
  reader,
} from '../test-support/foreign-authority.ts'

const ssl = openSsl()
let db: TestDatabase
let state: ForeignAuthority
before(async () => {
  db = await openTestDatabase()
  state = aForeignAuthority(ssl)
})
after(async () => {
  await db.close()
  ssl.close()
})

/** openssl dates what it signs with the real clock, so ours is ahead of it by more than the tests take. */
const present = new Date(start.getTime() + 1_800_000)
async function anAuthorityLater(known?: Tenant): Promise<Authority> {
  const authority = await anAuthority(db, known === undefined ? {} : { known })
  authority.clock.at = present
  return authority
}

function importInto(authority: Authority, id: string, certificate: string, chain?: string[]): Promise<Reply> {
  return authority.api('POST', `/certificates/csrs/${id}/import`, {
    certificate,
    ...(chain !== undefined && { chain }),
  })
}

function refused({ status, body }: Reply, code: string, rule: string, detail: RegExp): void {
  assert.deepEqual(
    [status, body.errors?.[0].code, body.errors?.[0].meta?.rule],
    [422, code, rule],
    JSON.stringify(body),
  )
  assert.match(body.errors[0].detail, detail)
}

for (const keyType of ['P-256', 'Ed25519'] as const) {
  for (const [type, signMdl, name, lines] of [
    [
      'issuerSignCredential',
      true,
      'Document Signer',
      [
        /Extended Key Usage: critical\s+1\.0\.18013\.5\.1\.2\n/,
        /URI:https:\/\/trust\.example\/issuers\/t\w+, DNS:trust\.example/,
      ],
    ],
    [
      'issuerSignCredential',
      false,
      'Document Signer',
      [/URI:https:\/\/trust\.example\/issuers\/t\w+, DNS:trust\.example/],
    ],
    [
      'verifierSignRequest',
      false,
      'Verifier',
      [/Extended Key Usage: critical\s+1\.0\.18013\.5\.1\.6\n/, /Alternative Name: \n\s+DNS:trust\.example\n/],
    ],
  ] as const) {
    test(`a request for ${type} on ${keyType}, mDL ${signMdl}: openssl verifies it and shows its contents`, async () => {
      const csr = await aRequest(await anAuthorityLater(), {
        type,
        keyType,
        countryName: 'za',
        ...(signMdl && { capabilities: { signMdl } }),
      })
      assert.partialDeepStrictEqual(csr, { type, keyType, status: 'open', certificateId: '' })
      assert.equal(Date.parse(csr.expiresAt) - present.getTime(), 30 * DAY_MS)
      assert.match(csr.subjectKeyIdentifier, /^[0-9a-f]{40}$/)
      const file = ssl.file('own.csr', csr.certificateSigningRequest)
      const text = ssl.run('req', '-in', file, '-verify', '-noout', '-text', '-nameopt', 'RFC2253')
      assert.match(text, new RegExp(`Version: 1 \\(0x0\\)[\\s\\S]*Subject: CN=Acme College ${name},C=ZA`))
      for (const line of [/Key Usage: critical\s+Digital Signature\n/, /Subject Key Identifier:/, ...lines])
        assert.match(text, line)
      assert.equal(/Extended Key Usage/.test(text), signMdl || type === 'verifierSignRequest')
    })
  }
}

test('an imported certificate signs at once if it is the first, with its chain but without the root', async () => {
  const authority = await anAuthorityLater()
  const { platform, tenant } = authority
  const csr = await aRequest(authority, { capabilities: { signMdl: true } })
  const below = aForeignAuthority(ssl, '/C=ZA/CN=Education CA', state)
  const certificate = below.sign(csr.certificateSigningRequest, { extensions: documentSigner })
  const reply = await importInto(authority, csr.id, certificate + below.root, [state.root])
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  const made = reply.body.data
  assert.partialDeepStrictEqual(made, {
    type: 'issuerSignCredential',
    status: 'active',
    parentCertificateId: '',
    certificate,
    capabilities: { signMdl: true },
    subjectKeyIdentifier: csr.subjectKeyIdentifier,
  })
  const shown = await authority.api('GET', `/certificates/csrs/${csr.id}`)
  assert.partialDeepStrictEqual(shown.body.data, { status: 'completed', certificateId: made.id })
  const chain = await authority.api('GET', `/certificates/${made.id}`, undefined, undefined, 'application/x-pem-file')
  assert.equal(chain.body, certificate + below.root + state.root)
  const signer = await activeSigner(platform, tenant.id, 'issuer')
  assert.equal(signer.x5c.length, 2)
  const derOf = (pem: string) => pem.replace(/-----.*-----|\n/g, '')
  assert.deepEqual(signer.x5c, [derOf(certificate), derOf(below.root)])
  assert.equal(signer.leaf.publicKey?.export({ format: 'jwk' }).x, signer.key.publicJwk.x)
})

test('roots and imported certificates wait for each other', async () => {
  const authority = await anAuthorityLater()
  const root = await aRoot(authority)
  const csr = await aRequest(authority)
  const { body } = await importInto(authority, csr.id, state.sign(csr.certificateSigningRequest), [state.root])
  assert.equal(body.data.status, 'pendingActivation')
  await authority.api('POST', `/certificates/${body.data.id}/activate`)
  const signer = await activeSigner(authority.platform, authority.tenant.id, 'issuer')
  assert.equal(signer.certificateId, body.data.id)
  assert.equal((await authority.api('GET', `/certificates/${root.id}`)).body.data.status, 'inactive')
  const ed = await aRequest(authority, { keyType: 'Ed25519' })
  const other = await importInto(authority, ed.id, state.sign(ed.certificateSigningRequest), [state.root])
  assert.equal(other.body.data.status, 'active')
})

const ca = 'basicConstraints=critical,CA:TRUE'
const refusals: readonly (readonly [
  what: string,
  code: string,
  rule: string,
  detail: RegExp,
  ask: ForeignAsk,
  body?: object,
])[] = [
  ['for another key', 'CERTIFICATE_INVALID', 'key', /CN=Acme.* another key/, { otherKey: true }],
  [
    'of another country',
    'CERTIFICATE_INVALID',
    'country',
    /country NA, the signing request ZA/,
    { subject: '/C=NA/CN=Acme' },
  ],
  ['of no country', 'CERTIFICATE_INVALID', 'country', /country none/, { subject: '/CN=Acme' }],
  ['of an authority', 'CERTIFICATE_INVALID', 'basic_constraints', /authority/, { extensions: `${plainSigner}\n${ca}` }],
  ['without a key usage', 'CERTIFICATE_INVALID', 'key_usage', /digitalSignature/, { extensions: 'nsComment=none' }],
  [
    'with another key usage',
    'CERTIFICATE_INVALID',
    'key_usage',
    /digitalSignature/,
    { extensions: 'keyUsage=critical,keyAgreement' },
  ],
  [
    'for web servers',
    'CERTIFICATE_INVALID',
    'leaf.extended_key_usage',
    /another purpose/,
    { extensions: `${plainSigner}\nextendedKeyUsage=serverAuth` },
  ],
  [
    'for mDLs, which was not requested',
    'CERTIFICATE_INVALID',
    'extended_key_usage',
    /not requested/,
    { extensions: documentSigner },
  ],
  [
    'not for mDLs, which was requested',
    'CERTIFICATE_INVALID',
    'extended_key_usage',
    /lacks .*18013\.5\.1\.2/,
    {},
    { capabilities: { signMdl: true } },
  ],
  [
    'not for readers',
    'CERTIFICATE_INVALID',
    'extended_key_usage',
    /lacks .*18013\.5\.1\.6/,
    {},
    { type: 'verifierSignRequest' },
  ],
  ['of 458 days', 'CERTIFICATE_INVALID', 'validity.length', /more than 457 days/, { days: 458 }],
  [
    'of 1188 days for a reader',
    'CERTIFICATE_INVALID',
    'validity.length',
    /more than 1187 days/,
    { days: 1188, extensions: reader },
    { type: 'verifierSignRequest' },
  ],
  [
    'with a unknown critical extension',
    'CERTIFICATE_INVALID',
    'certificate.critical_extension',
    /critical extension/,
    { extensions: `${plainSigner}\n1.2.3.4=critical,DER:0500` },
  ],
  [
    'with name constraints',
    'CERTIFICATE_INVALID',
    'certificate.forbidden_extension',
    /not allowed/,
    { extensions: `${plainSigner}\nnameConstraints=permitted;DNS:a.example` },
  ],
]
for (const [what, code, rule, detail, ask, body = {}] of refusals) {
  test(`422: a certificate ${what} is not imported, and the request stays open [CSR-2]`, async () => {
    const authority = await anAuthorityLater()
    const csr = await aRequest(authority, body)
    const certificate = state.sign(csr.certificateSigningRequest, ask)
    refused(await importInto(authority, csr.id, certificate, [state.root]), code, rule, detail)
    assert.equal((await authority.api('GET', `/certificates/csrs/${csr.id}`)).body.data.status, 'open')
    assert.deepEqual(await list(authority), [])
  })
}

const chains: readonly (readonly [what: string, rule: string, chain: () => string[] | undefined])[] = [
  ['no chain', 'chain.no_anchor', () => undefined],
  ['a root of the same name and another key', 'chain.anchor_key', () => [aForeignAuthority(ssl).root]],
  ['another root', 'chain.no_anchor', () => [aForeignAuthority(ssl, '/C=ZA/CN=Other CA').root]],
]
for (const [what, rule, chain] of chains) {
  test(`422: a certificate with ${what} is not imported`, async () => {
    const authority = await anAuthorityLater()
    const csr = await aRequest(authority)
    const reply = await importInto(authority, csr.id, state.sign(csr.certificateSigningRequest), chain())
    refused(reply, 'CERTIFICATE_INVALID', rule, /CN=Acme College Document Signer,C=ZA.* chain/)
  })
}

test('422: a certificate is imported neither before nor after its time', async () => {
  const authority = await anAuthorityLater()
  const csr = await aRequest(authority)
  const certificate = state.sign(csr.certificateSigningRequest, { days: 10 })
  authority.clock.at = new Date(start.getTime() - DAY_MS)
  refused(
    await importInto(authority, csr.id, certificate, [state.root]),
    'CERTIFICATE_INVALID',
    'validity.start',
    /is valid from/,
  )
  authority.clock.at = new Date(start.getTime() + 11 * DAY_MS)
  refused(
    await importInto(authority, csr.id, certificate, [state.root]),
    'CERTIFICATE_INVALID',
    'validity.end',
    /expired at/,
  )
})

for (const [what, text] of [
  ['no PEM', 'hello'],
  ['a private key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
  ['half a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'],
] as const) {
  test(`422: ${what} is no certificate and no request`, async () => {
    const authority = await anAuthorityLater()
    const csr = await aRequest(authority)
    const reply = await importInto(authority, csr.id, text)
    assert.deepEqual(
      [reply.status, reply.body.errors[0].code, reply.body.errors[0].source.pointer],
      [422, 'CERTIFICATE_INVALID', '/certificate'],
    )
    const root = await aRoot(authority)
    const sign = await authority.api('POST', `/certificates/${root.id}/sign`, { csr: text })
    assert.deepEqual([sign.status, sign.body.errors[0].code], [422, 'CERTIFICATE_INVALID'])
  })
}

test('a request takes one certificate', async () => {
  const authority = await anAuthorityLater()
  const csr = await aRequest(authority)
  const certificate = state.sign(csr.certificateSigningRequest)
  assert.equal((await importInto(authority, csr.id, certificate, [state.root])).status, 201)
  const again = await importInto(authority, csr.id, certificate, [state.root])
  assert.deepEqual([again.status, again.body.errors[0].meta.status], [409, 'completed'])
})

test('an open request ends after 30 days: its key is destroyed, nothing can be imported [CSR-3]', async () => {
  const authority = await anAuthorityLater()
  const csr = await aRequest(authority)
  const certificate = state.sign(csr.certificateSigningRequest)
  const { platform, tenant } = authority
  const keyIdOf = sql('test.trust.request_key', 'select key_id from certificate_signing_request where id = $1')
  const keyId = async () =>
    (await platform.store.single(tenant.id, (tx) => tx.rows<{ key_id: string | null }>(keyIdOf, [csr.id])))[0]?.key_id
  const before = await keyId()
  assert(before)
  await authority.sweep('trust.destroy-keys')
  assert.equal((await authority.api('GET', `/certificates/csrs/${csr.id}`)).body.data.status, 'open')
  authority.clock.at = new Date(present.getTime() + 30 * DAY_MS)
  const late = await importInto(authority, csr.id, certificate, [state.root])
  assert.deepEqual([late.status, late.body.errors[0].meta.status], [409, 'expired'])
  for (const _ of [1, 2]) await authority.sweep('trust.destroy-keys')
  assert.equal(await keyId(), null)
  await assert.rejects(platform.keys.byId(tenant.id, before), { code: 'key.destroyed' })
  const trail = await audit(authority)
  assert.equal(trail.filter(({ action }) => action === 'certificate_signing_request.expired').length, 1)
  const listed = await authority.api('GET', '/certificates/csrs?filter%5Bstatus%5D=expired')
  assert.deepEqual(
    listed.body.data.map(({ id }: { id: string }) => id),
    [csr.id],
  )
})

test('400: only an issuer signs mobile driving licences', async () => {
  const authority = await anAuthorityLater()
  const body = { type: 'verifierSignRequest', keyType: 'P-256', countryName: 'ZA', capabilities: { signMdl: true } }
  const { status, body: said } = await authority.api('POST', '/certificates/csrs', body)
  assert.deepEqual([status, said.errors[0].source.pointer], [400, '/capabilities/signMdl'])
})

test('an import by two at once attaches one certificate', async () => {
  const authority = await anAuthorityLater()
  const other = await anAuthorityLater(authority.tenant)
  const csr = await aRequest(authority)
  const certificates = [1, 2, 3, 4].map(() => state.sign(csr.certificateSigningRequest))
  const replies = await Promise.all(
    certificates.map((one, index) => importInto(index % 2 === 0 ? authority : other, csr.id, one, [state.root])),
  )
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409])
  assert.equal((await list(authority)).length, 1)
  assert.notEqual(await findActiveSigner(other.platform, authority.tenant.id, 'issuer'), null)
})
