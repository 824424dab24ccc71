import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { openSsl } from '../../../test/support/openssl.ts'
import { readCrl } from '../../crypto/x509/crl.ts'
import { readPem } from '../../crypto/x509/pem.ts'
import { anchorSetOf, type Purpose } from '../../crypto/x509-path/anchor.ts'
import { validatePath } from '../../crypto/x509-path/validate-path.ts'
import { sql } from '../../store/store.ts'
import { activeSigner, findActiveSigner } from '../certificates/active-signer.ts'
import { setRevoked } from '../certificates/certificate-change-store.ts'
import { type Authority, anAuthority, aRoot, audit, DAY_MS, leafOf, list, start } from '../test-support/authority.ts'

const selectKeys = sql(
  'test.trust.keys_left',
  `select usage from signing_key where usage in ('ca', 'leaf') and sealed_private is not null order by usage`,
)
const ssl = openSsl()
let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(async () => {
  await db.close()
  ssl.close()
})

function crlOf(authority: Authority, rootId: string, headers: Record<string, string> = {}) {
  return authority.open(`/issuers/${authority.tenant.slug}/crls/${rootId}.crl`, headers)
}

/** As openssl reads it. */
function crlText(der: Buffer): string {
  ssl.file('list.crl', der)
  ssl.run('crl', '-inform', 'DER', '-in', 'list.crl', '-out', 'list.pem')
  return ssl.run('crl', '-in', 'list.pem', '-noout', '-text')
}

function numberOf(der: Buffer): number {
  return Number(/CRL Number:\s+(\d+)/.exec(crlText(der))?.[1])
}

for (const [type, keyType, purpose] of [
  ['issuerRoot', 'P-256', 'issuer'],
  ['verifierRoot', 'Ed25519', 'verifier'],
] as const satisfies readonly (readonly [string, string, Purpose])[]) {
  test(`the list at the distribution point of ${type} on ${keyType} stops what is revoked, at openssl and at our own path validation [X5-2]`, async () => {
    const authority = await anAuthority(db)
    const root = await aRoot(authority, { type, keyType })
    const leaf = await leafOf(authority, root.id)
    const clean = await crlOf(authority, root.id)
    assert.deepEqual([clean.status, clean.headers['content-type']], [200, 'application/pkix-crl'])
    const text = crlText(clean.bytes)
    assert.match(text, /Version 2 \(0x1\)[\s\S]*No Revoked Certificates/)
    assert.match(text, /X509v3 Authority Key Identifier: \n/)
    const check = [
      'verify',
      '-x509_strict',
      '-crl_check',
      '-CAfile',
      ssl.file('root.pem', root.certificate),
      '-CRLfile',
      'list.pem',
    ]
    assert.match(ssl.run(...check, ssl.file('leaf.pem', leaf.certificate)), /OK/)
    const revoked = await authority.api('POST', `/certificates/${leaf.id}/revoke`)
    assert.equal(revoked.body.data.status, 'revoked')
    const { bytes } = await crlOf(authority, root.id)
    assert.doesNotMatch(crlText(bytes), /CRL Reason|X509v3 Invalidity/)
    assert.match(ssl.refuse(...check, 'leaf.pem'), /certificate revoked/)
    const anchors = anchorSetOf([{ certificate: readPem(root.certificate), purposes: [purpose], owner: 'own' }])
    const revocation = { crls: [readCrl(bytes)], policy: 'hard' } as const
    const judged = (pem: string) => validatePath({ chain: [readPem(pem).der], anchors, purpose, at: start, revocation })
    assert.deepEqual(
      judged(leaf.certificate).findings.map(({ code }) => code),
      ['certificate.revoked'],
    )
    // The root made another leaf at once, and that one is good.
    const next = await leafOf(authority, root.id)
    assert.notEqual(next.id, leaf.id)
    assert.match(ssl.run(...check, ssl.file('next.pem', next.certificate)), /OK/)
    assert.deepEqual(judged(next.certificate).findings, [])
    assert.equal((await activeSigner(authority.platform, authority.tenant.id, purpose)).certificateId, next.id)
  })
}

test('a list is kept until something is revoked or three days are over, and its number grows', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  const first = await crlOf(authority, root.id)
  const again = await crlOf(authority, root.id, { 'if-none-match': first.headers.etag ?? '' })
  assert.equal(again.status, 304)
  assert.equal((await crlOf(authority, root.id, { 'if-none-match': `"x", W/${first.headers.etag}` })).status, 304)
  authority.clock.at = new Date(start.getTime() + 2 * DAY_MS)
  assert.deepEqual((await crlOf(authority, root.id)).bytes, first.bytes)
  authority.clock.at = new Date(start.getTime() + 3 * DAY_MS)
  const next = await crlOf(authority, root.id)
  assert.deepEqual([numberOf(first.bytes), numberOf(next.bytes)], [1, 2])
  await authority.api('POST', `/certificates/${(await leafOf(authority, root.id)).id}/revoke`)
  assert.equal(numberOf((await crlOf(authority, root.id)).bytes), 3)
})

test('the sweep makes the first list, one after a revocation, and one whose time has come', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  await authority.sweep('trust.reissue-lists')
  await authority.api('POST', `/certificates/${(await leafOf(authority, root.id)).id}/revoke`)
  authority.clock.at = new Date(start.getTime() + 30_000)
  await authority.sweep('trust.reissue-lists')
  authority.clock.at = new Date(start.getTime() + 4 * DAY_MS)
  await authority.sweep('trust.reissue-lists')
  const { bytes } = await crlOf(authority, root.id)
  assert.equal(numberOf(bytes), 3)
  assert.match(crlText(bytes), /Revoked Certificates:/)
})

test('a revocation by another process shows in the list within five seconds', async () => {
  const authority = await anAuthority(db)
  const { platform, tenant } = authority
  const root = await aRoot(authority)
  const leaf = await leafOf(authority, root.id)
  const before = await crlOf(authority, root.id)
  const entry = { action: 'certificate.revoked', subject: { kind: 'certificate', id: leaf.id }, by: 'system' } as const
  assert(await platform.store.inTenant(tenant.id, (tx) => setRevoked(tx, leaf.id, entry, start)))
  assert.deepEqual((await crlOf(authority, root.id)).bytes, before.bytes)
  authority.clock.at = new Date(start.getTime() + 5_000)
  assert.match(crlText((await crlOf(authority, root.id)).bytes), /Revoked Certificates:/)
})

test('with a root goes everything below it, and nothing signs in its place', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  const waiting = await aRoot(authority)
  const reply = await authority.api('POST', `/certificates/${root.id}/revoke`)
  assert.deepEqual([reply.status, reply.body.data.status], [200, 'revoked'])
  const statuses = (await list(authority)).map(({ status }: { status: string }) => status)
  assert.deepEqual(statuses, ['revoked', 'revoked', 'pendingActivation'])
  assert.equal(await findActiveSigner(authority.platform, authority.tenant.id, 'issuer'), null)
  assert.match(crlText((await crlOf(authority, root.id)).bytes), /Revoked Certificates:\n\s+Serial Number:/)
  assert.equal((await authority.api('POST', `/certificates/${waiting.id}/activate`)).status, 200)
  assert.notEqual(await findActiveSigner(authority.platform, authority.tenant.id, 'issuer'), null)
  const again = await authority.api('POST', `/certificates/${root.id}/revoke`)
  assert.deepEqual([again.status, again.body.data.status], [200, 'revoked'])
  const actions = (await audit(authority)).filter(({ action }) => action === 'certificate.revoked')
  assert.deepEqual(
    actions.map(({ subject_id, actor_kind }) => [subject_id, actor_kind]),
    [[root.id, 'client']],
  )
})

test('the private key of a revoked leaf is destroyed after an hour, that of its root is not: it signs the lists', async () => {
  const authority = await anAuthority(db)
  const { platform, tenant } = authority
  const root = await aRoot(authority)
  const leaf = await leafOf(authority, root.id)
  const signer = await activeSigner(platform, tenant.id, 'issuer')
  await authority.api('POST', `/certificates/${root.id}/revoke`)
  await authority.sweep('trust.destroy-keys')
  authority.clock.at = new Date(start.getTime() + 2 * 3_600_000)
  for (const _ of [1, 2]) await authority.sweep('trust.destroy-keys')
  assert.equal(signer.certificateId, leaf.id)
  assert.deepEqual(await keysLeft(authority), ['ca'])
  assert.equal((await crlOf(authority, root.id)).status, 200)
})

test('paths that are no list are unknown', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  const leaf = await leafOf(authority, root.id)
  const { slug } = authority.tenant
  for (const path of [`${root.id}`, `${leaf.id}.crl`, 'x.crl', `${root.id}.CRL`, '.crl']) {
    assert.equal((await authority.open(`/issuers/${slug}/crls/${path}`)).status, 404, path)
  }
})

async function keysLeft({ platform, tenant }: Authority): Promise<string[]> {
  const rows = await platform.store.single(tenant.id, (tx) => tx.rows<{ usage: string }>(selectKeys))
  return rows.map(({ usage }) => usage)
}
