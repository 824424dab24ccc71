import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { readConfig } from '../../config.ts'
import type { Json } from '../../crypto/json.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { type Anchor, anchorSetOf } from '../../crypto/x509-path/anchor.ts'
import { leafExtensions, type Made, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { june, pki } from '../../crypto/x509-path/test-support/pki.ts'
import { Fault } from '../../fault.ts'
import { Memory } from '../../memory/memory.ts'
import { emptyStatusList, setStatus } from '../../protocols/status-list/packed-list.ts'
import { buildStatusListToken } from '../../protocols/status-list/status-list-token.ts'
import { platformTenantId } from '../../store/store.ts'
import { OWN_ANCHOR } from '../revocation/revocation-lists.ts'
import { checkStatus } from '../status-lists/check-status.ts'
import { leafNames } from './certified-issuer.ts'
import { resolveIssuer } from './resolve-issuer.ts'

const tool = openssl()
after(() => tool.remove())
const { root, middle, leaf, make } = pki(tool)
const iss = 'https://issuer.example'
const seconds = june.getTime() / 1000
const platform = {
  config: { ...readConfig({}), isDevelopment: false },
  fetch: () => Promise.reject(new Fault('upstream.unreachable')),
  memory: new Memory(),
  tenantId: platformTenantId,
}

type Told = { readonly iss?: string; readonly iat?: Json }

async function resolve(
  chain: readonly Made[],
  told: Told = { iss, iat: seconds },
  now = june,
  more: Partial<Anchor> = {},
) {
  const x5c = chain.map(({ certificate }) => certificate.der.toString('base64'))
  const anchor = { certificate: root.certificate, purposes: ['issuer'] as const, owner: 'one', ...more }
  return resolveIssuer(platform, { header: { x5c }, payload: { ...told } }, now, async () => anchorSetOf([anchor]))
}
async function codesOf(...asked: Parameters<typeof resolve>): Promise<readonly string[]> {
  const { trusted, findings } = await resolve(...asked)
  assert.equal(trusted, findings.length === 0)
  return findings.map(({ code }) => code)
}

test('[VC-21] [VC-7] a credential whose chain ends at a trusted certificate, and whose leaf is for its issuer if it names one, is proved', async () => {
  const below = make({ issuer: middle })
  const found = await resolve([below, middle])
  assert.partialDeepStrictEqual(found, { issuer: iss, mechanism: 'x5c', trusted: true, findings: [] })
  for (const { certificate } of [below, middle, root]) {
    assert(found.keyIds.includes(certificate.extensions.subjectKeyId?.toString('hex') ?? ''))
  }
  assert.equal((await resolve([leaf], {})).issuer, 'CN=Leaf,C=ZA')
})

test('[VC-21] without anchors a chain proves no issuer', async () => {
  const x5c = [leaf.certificate.der.toString('base64')]
  const found = await resolveIssuer(platform, { header: { x5c }, payload: { iss } }, june)
  assert.deepEqual([found.trusted, found.findings[0]?.code, found.keyIds], [false, 'chain.no_anchor', []])
})

test('(5.7) an https issuer that its certificate does not name is the subject of the certificate; no other identifier is replaced', async () => {
  const hostOnly = make({ extensions: [...leafExtensions.slice(0, 3), 'subjectAltName = DNS:Issuer.Example'] })
  const nameless = make({ extensions: leafExtensions.slice(0, 3) })
  for (const [certificate, named, codes] of [
    [leaf, iss, []],
    // a certificate for one address of a host is not for its neighbours
    [leaf, `${iss}/other`, 'subject'],
    [leaf, 'did:web:issuer.example', ['issuer.name']],
    [leaf, 'issuer.example', ['issuer.name']],
    [hostOnly, iss, []],
    [hostOnly, `${iss}/tenant`, []],
    [hostOnly, 'issuer.example', []],
    [hostOnly, 'https://other.example', 'subject'],
    [hostOnly, 'http://issuer.example', ['issuer.name']],
    [nameless, iss, 'subject'],
    [nameless, undefined, 'subject'],
  ] as const) {
    const told = named === undefined ? { iat: seconds } : { iss: named, iat: seconds }
    const { subject } = certificate.certificate
    assert.deepEqual(await codesOf([certificate], told), codes === 'subject' ? [] : codes, `${subject.text} ${named}`)
    const { issuer } = await resolve([certificate], told)
    assert.equal(issuer, codes.length === 0 ? (named ?? subject.text) : subject.text)
  }
})

test('[SEC-28] the certificates must have been valid when the credential was signed, or now if it does not say when', async () => {
  const nextYear = new Date('2027-06-01')
  assert.deepEqual(await codesOf([leaf], { iss, iat: seconds }, nextYear), [])
  for (const iat of [null, nextYear.getTime() / 1000, -1, '1', Number.NaN, 1e300]) {
    assert.deepEqual(await codesOf([leaf], { iss, iat }, nextYear), ['certificate.expired'], String(iat))
  }
})

test('[X5-4] a certificate that is trusted for verifiers vouches for no issuer', async () => {
  assert.deepEqual(await codesOf([leaf], undefined, june, { purposes: ['verifier', 'status'] }), [
    'chain.anchor_purpose',
  ])
})

test('[SEC-29] a certificate that its authority revoked proves no issuer; an unavailable list is ignored, but not that of an own root', async () => {
  const url = 'https://crl.example/root'
  const listed = make({ extensions: [...leafExtensions, `crlDistributionPoints = URI:${url}`] })
  const clean = tool.crlDer(root, [])
  const revoked = tool.crlDer(root, [listed])
  const x5c = [listed.certificate.der.toString('base64')]
  const ask = async (body: Buffer | null, owner = 'one', status = 200) => {
    let asked = 0
    const fetch = async (_tenantId: string, wanted: string) => {
      asked += 1
      assert.equal(wanted, url)
      if (body === null) throw new Fault('upstream.unreachable')
      return { status, headers: {}, contentType: 'application/pkix-crl', body }
    }
    const anchors = async () => anchorSetOf([{ certificate: root.certificate, purposes: ['issuer'], owner }])
    const world = { ...platform, fetch, memory: new Memory() }
    const resolve = () => resolveIssuer(world, { header: { x5c }, payload: { iss } }, june, anchors)
    await resolve()
    const { findings } = await resolve()
    // it is kept
    assert.equal(asked, 1)
    return findings.map(({ code }) => code)
  }
  assert.deepEqual(await ask(clean), [])
  assert.deepEqual(await ask(revoked), ['certificate.revoked'])
  assert.deepEqual(await ask(null), [])
  assert.deepEqual(await ask(Buffer.from('x')), [])
  assert.deepEqual(await ask(clean, OWN_ANCHOR), [])
  assert.deepEqual(await ask(revoked, OWN_ANCHOR), ['certificate.revoked'])
  assert.deepEqual(await ask(clean, OWN_ANCHOR, 404), ['crl.missing'])
  await assert.rejects(ask(null, OWN_ANCHOR), { code: 'upstream.unreachable' })
})

test('a chain that is no chain yields no issuer', async () => {
  for (const x5c of [['AAAA'], [leaf.certificate.der.toString('base64'), 'AAAA'], [], ['!']]) {
    const asked = resolveIssuer(platform, { header: { x5c }, payload: {} }, june)
    await assert.rejects(asked, { code: 'issuer.undiscoverable' })
  }
})

test('[TS-10] the status list of a certified issuer is signed by its key, or under its root if that is trusted for status', async () => {
  const uri = 'https://issuer.example/list'
  const signer = make({ subject: '/C=ZA/CN=Status' })
  const stranger = make({ subject: '/C=ZA/CN=Stranger', extensions: rootExtensions, issuer: undefined })
  const strangers = make({ issuer: stranger })
  const list = emptyStatusList(2, 1024)
  setStatus(list, 7, 1)
  const tokenBy = (one: Made) => {
    const header = { x5c: [one.certificate.der.toString('base64')] }
    const key = softwareKey(createPrivateKey(readFileSync(one.keyFile)))
    return buildStatusListToken({ uri, list, ttlSeconds: 300, lifetimeSeconds: 86_400, header }, key, june)
  }
  const both = [root, stranger].map(({ certificate }) => certificate)
  for (const [by, purposes, code] of [
    [leaf, ['issuer'], 'status.revoked'],
    [signer, ['issuer'], 'status.untrusted'],
    [signer, ['issuer', 'status'], 'status.revoked'],
    [strangers, ['issuer', 'status'], 'status.untrusted'],
  ] as const) {
    const body = Buffer.from(await tokenBy(by))
    const world = {
      ...platform,
      memory: new Memory(),
      fetch: async () => ({ status: 200, headers: {}, contentType: '', body }),
    }
    const anchors = async () => anchorSetOf(both.map((certificate) => ({ certificate, purposes, owner: 'one' })))
    const status = { status_list: { idx: 7, uri } }
    const found = await checkStatus(world, status, await resolve([leaf]), june, anchors)
    assert.deepEqual(
      found.map((one) => one.code),
      [code],
    )
  }
})

test('a DNS name of a leaf is compared with the host of the issuer, whatever its port (RFC 6125)', () => {
  const { certificate } = make({ extensions: [...leafExtensions.slice(0, 3), 'subjectAltName = DNS:issuer.example'] })
  assert.ok(leafNames(certificate, 'https://issuer.example:8443/t/1'))
  assert.ok(!leafNames(certificate, 'https://other.example:8443/t/1'))
  assert.ok(!leafNames(certificate, 'http://issuer.example/t/1'))
})
