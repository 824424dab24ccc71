// Requests that a root of ours signs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { openSsl } from '../../../test/support/openssl.ts'
import { crlLimits } from '../../crypto/x509/crl.ts'
import { sql } from '../../store/store.ts'
import { activeSigner } from '../certificates/active-signer.ts'
import { anAuthority, aRequest, aRoot, list, type Reply, start, textOf } from '../test-support/authority.ts'

const ssl = openSsl()
let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(async () => {
  await db.close()
  ssl.close()
})

/** Copies the leaf of a root, under other serial numbers and keys. */
const copyLeaf = sql(
  'test.trust.copy_leaf',
  `insert into certificate (tenant_id, id, type, kind, key_type, origin, status, parent_id, der, subject_key_id, serial, sign_mdl, not_before,
     not_after, created_at, updated_at)
   select tenant_id, gen_random_uuid(), type, kind, key_type, 'foreign', 'inactive', parent_id, '', int8send(n), int8send(n), false, not_before,
     not_after, created_at, updated_at
   from certificate, generate_series(1, $2::int) n where parent_id = $1::uuid`,
)

function refused({ status, body }: Reply, rule: string, detail: RegExp): void {
  const [error] = body.errors ?? []
  assert.deepEqual([status, error?.code, error?.meta?.rule], [422, 'CERTIFICATE_INVALID', rule], JSON.stringify(body))
  assert.match(error.detail, detail)
}

test('an own root signs an own request: the certificate has the extensions of the root and not those of the request [CSR-1]', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  const csr = await aRequest(authority, {
    keyType: 'Ed25519',
    capabilities: { signMdl: true },
    commonName: 'Campus North',
  })
  const reply = await authority.api('POST', `/certificates/${root.id}/sign`, { csrId: csr.id })
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  assert.partialDeepStrictEqual(reply.body.data, {
    keyType: 'Ed25519',
    status: 'active',
    parentCertificateId: root.id,
    capabilities: { signMdl: true },
  })
  ssl.file('root.pem', root.certificate)
  ssl.run('verify', '-x509_strict', '-CAfile', 'root.pem', ssl.file('signed.pem', reply.body.data.certificate))
  const text = textOf(reply.body.data.certificate)
  for (const line of [
    /Subject: CN=Campus North,C=ZA/,
    /1\.0\.18013\.5\.1\.2/,
    /Issuer Alternative Name/,
    /CRL Distribution/,
  ])
    assert.match(text, line)
  const signer = await activeSigner(authority.platform, authority.tenant.id, 'issuer', 'Ed25519')
  assert.deepEqual([signer.certificateId, signer.x5c.length], [reply.body.data.id, 1])
  const again = await authority.api('POST', `/certificates/${root.id}/sign`, { csrId: csr.id })
  assert.equal(again.status, 409)
  const second = await aRequest(authority, { keyType: 'Ed25519' })
  const asText = await authority.api('POST', `/certificates/${root.id}/sign`, { csr: second.certificateSigningRequest })
  assert.equal(asText.body.data.status, 'pendingActivation')
  assert.equal(
    (await authority.api('GET', `/certificates/csrs/${second.id}`)).body.data.certificateId,
    asText.body.data.id,
  )
})

test('an own root signs for an external key: the tenant signs nothing with it, and it can be revoked', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority, { type: 'verifierRoot' })
  ssl.run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'reader.key')
  ssl.run(
    'req',
    '-new',
    '-key',
    'reader.key',
    '-subj',
    '/C=ZA/CN=Gate 7',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-out',
    'reader.csr',
  )
  const reply = await authority.api('POST', `/certificates/${root.id}/sign`, { csr: ssl.read('reader.csr') })
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  const made = reply.body.data
  assert.partialDeepStrictEqual(made, { type: 'verifierSignRequest', status: 'inactive', parentCertificateId: root.id })
  assert.doesNotMatch(textOf(made.certificate), /Basic Constraints/)
  const activated = await authority.api('POST', `/certificates/${made.id}/activate`)
  assert.deepEqual([activated.status, /external/.test(activated.body.errors[0].detail)], [409, true])
  const revoked = await authority.api('POST', `/certificates/${made.id}/revoke`)
  assert.equal(revoked.body.data.status, 'revoked')
  const { bytes } = await authority.open(`/issuers/${authority.tenant.slug}/crls/${root.id}.crl`)
  ssl.file('reader.crl', bytes)
  ssl.file('root.pem', root.certificate)
  ssl.run('crl', '-inform', 'DER', '-in', 'reader.crl', '-out', 'reader-crl.pem')
  const at = String(start.getTime() / 1000 + 60)
  const check = ['verify', '-attime', at, '-crl_check', '-CAfile', 'root.pem', '-CRLfile', 'reader-crl.pem']
  assert.match(ssl.refuse(...check, ssl.file('gate.pem', made.certificate)), /certificate revoked/)
})

test('[SEC-81] a root never signs a key twice, not at once and not after a revocation; another root may', async () => {
  const authority = await anAuthority(db)
  const [iaca, ed] = [await aRoot(authority), await aRoot(authority, { keyType: 'Ed25519' })]
  ssl.run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'twice.key')
  ssl.run('req', '-new', '-key', 'twice.key', '-subj', '/C=ZA/CN=T', '-out', 'twice.csr')
  const sign = (id: string) => authority.api('POST', `/certificates/${id}/sign`, { csr: ssl.read('twice.csr') })
  const both = await Promise.all([sign(iaca.id), sign(iaca.id)])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [201, 409])
  const made = both.find(({ status }) => status === 201)?.body.data
  await authority.api('POST', `/certificates/${made.id}/revoke`)
  const again = await sign(iaca.id)
  assert.deepEqual([again.status, again.body.errors[0].meta.rule], [409, 'key'])
  assert.match(again.body.errors[0].detail, /signed this key before/)
  assert.equal((await sign(ed.id)).status, 201)
})

test('what a root does not sign [CSR-1]', async () => {
  const authority = await anAuthority(db)
  const [iaca, ed] = [await aRoot(authority), await aRoot(authority, { keyType: 'Ed25519' })]
  const sign = (id: string, body: object) => authority.api('POST', `/certificates/${id}/sign`, body)
  const mdl = await aRequest(authority, { capabilities: { signMdl: true } })
  refused(await sign(ed.id, { csrId: mdl.id }), 'capability', /P-256/)
  const verifier = await aRequest(authority, { type: 'verifierSignRequest' })
  refused(await sign(iaca.id, { csrId: verifier.id }), 'type', /verifierSignRequest/)
  const abroad = await aRequest(authority, { countryName: 'NA' })
  refused(await sign(iaca.id, { csrId: abroad.id }), 'country', /request names NA, the root ZA/)
  const good = (await aRequest(authority)).certificateSigningRequest
  const bytes = Buffer.from(good.replace(/-----.*-----|\n/g, ''), 'base64')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
  // the key is that of an own request, whose own text is what counts; so one with a foreign key
  ssl.run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'f.key')
  ssl.run('req', '-new', '-key', 'f.key', '-subj', '/C=ZA/CN=F', '-outform', 'DER', '-out', 'f.der')
  assert.equal((await sign(iaca.id, { csr: forged })).status, 201)
  ssl.run('req', '-inform', 'DER', '-in', 'f.der', '-out', 'f.csr')
  const foreign = Buffer.from(ssl.read('f.csr').replace(/-----.*-----|\n/g, ''), 'base64')
  foreign[foreign.length - 1] = (foreign.at(-1) ?? 0) ^ 1
  const unproven = `-----BEGIN CERTIFICATE REQUEST-----\n${foreign.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
  refused(await sign(iaca.id, { csr: unproven }), 'possession', /holds the key|prove/)
  ssl.run('ecparam', '-name', 'secp384r1', '-genkey', '-noout', '-out', 'p384.key')
  ssl.run('req', '-new', '-key', 'p384.key', '-subj', '/C=ZA/CN=F', '-out', 'p384.csr')
  refused(await sign(iaca.id, { csr: ssl.read('p384.csr') }), 'key', /kind/)
  const leaf = (await list(authority))[1]
  assert.equal((await sign(leaf.id, { csrId: mdl.id })).status, 409)
  await authority.api('POST', `/certificates/${iaca.id}/revoke`)
  assert.equal((await sign(iaca.id, { csrId: mdl.id })).status, 409)
  assert.equal((await sign(ed.id, { csrId: mdl.id, csr: good })).status, 400)
  assert.equal((await sign(ed.id, {})).status, 400)
})

test('a root signs no more certificates than its revocation list can name', async () => {
  const authority = await anAuthority(db)
  const [root, csr] = [await aRoot(authority), await aRequest(authority)]
  const { store } = authority.platform
  const copy = (count: number) => store.single(authority.tenant.id, (tx) => tx.rows(copyLeaf, [root.id, count]))
  await copy(crlLimits.entries - 2)
  assert.equal((await authority.api('POST', `/certificates/${root.id}/sign`, { csrId: csr.id })).status, 201)
  const next = await aRequest(authority)
  refused(
    await authority.api('POST', `/certificates/${root.id}/sign`, { csrId: next.id }),
    'full',
    /Create another root/,
  )
})
