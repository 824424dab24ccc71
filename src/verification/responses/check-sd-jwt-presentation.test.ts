import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { readConfig } from '../../config.ts'
import { anchorSetOf, noAnchors } from '../../crypto/x509-path/anchor.ts'
import { leafExtensions, type Made, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import { Memory } from '../../memory/memory.ts'
import { urlsOf } from '../../platform.ts'
import { findUnmetReason, matchClaims } from '../../protocols/dcql/match.ts'
import { parseQuery } from '../../protocols/dcql/parse-query.ts'
import { platformTenantId } from '../../store/store.ts'
import { aKey, anIssuer, membership, present } from '../test-support/holder.ts'
import { checkSdJwtPresentation } from './check-sd-jwt-presentation.ts'
import type { ExpectedPresentation } from './checked-credential.ts'

const issuer = anIssuer()
const holder = aKey()
const now = new Date()
const platform = {
  config: readConfig({}),
  fetch: () => Promise.reject(new Fault('upstream.unreachable')),
  memory: new Memory(),
  tenantId: platformTenantId,
}
const expected: ExpectedPresentation = {
  credential: { type: membership, format: 'sd-jwt-vc', attributes: {}, issuers: [issuer.did] },
  origin: null,
  nonce: 'nonce-of-this-request-0123',
  aud: 'decentralized_identifier:did:web:us.example',
  now,
  encryptionKey: null,
  responseUri: 'https://us.example/answers',
  verifier: { urls: urlsOf(platform.config), slug: 'us' },
  policy: policyOf(null),
  trust: { anchors: async () => noAnchors, vouchesFor: async () => false },
}

test('an index in a query means the array as it was issued, whatever the holder did not disclose (7.1.1)', async () => {
  const claims = { clubs: ['chess', 'go', 'bridge'] }
  const about = { cnf: holder.jwk, frame: { clubs: { _sd: [0, 1, 2] } } }
  const shown = present(await issuer.issue(claims, about), ['go'], { ...expected, key: holder })
  const { presented, issues } = await checkSdJwtPresentation(platform, shown, expected)
  assert.deepEqual(issues, [])
  assert.ok(presented)
  assert.deepEqual(presented.claims.clubs, ['go'])
  const checkIndex = (index: number) => {
    const meta = { vct_values: [membership] }
    const [query] = parseQuery({
      credentials: [{ id: 'c', format: 'dc+sd-jwt', meta, claims: [{ path: ['clubs', index] }] }],
    }).credentials
    assert.ok(query)
    return matchClaims(query, presented)
  }
  assert.equal(checkIndex(0), null)
  assert.notEqual(checkIndex(1), null)
  assert.equal(checkIndex(2), null)
})

const tool = openssl()
after(() => tool.remove())
const years = { from: '200101000000Z', until: '491231235959Z' }
const root = tool.make({ subject: '/C=ZA/CN=Root', extensions: rootExtensions, ...years })
const leaf = tool.make({ subject: '/C=ZA/CN=Leaf', extensions: leafExtensions, issuer: root, ...years })
const privateKey = createPrivateKey(readFileSync(leaf.keyFile))
const certified = anIssuer({ privateKey, jwk: createPublicKey(privateKey).export({ format: 'jwk' }) })
const iss = 'https://issuer.example'
const restricted: ExpectedPresentation = {
  ...expected,
  credential: { ...expected.credential, issuers: [issuer.did, iss], requireCryptographicHolderBinding: false },
  trust: {
    ...expected.trust,
    anchors: async () => anchorSetOf([{ certificate: root.certificate, purposes: ['issuer'], owner: 'one' }]),
  },
}
const issue = (chain: readonly Made[], cnf: object | undefined) => {
  const x5c = chain.map(({ certificate }) => certificate.der.toString('base64'))
  return certified.issue({ name: 'A' }, { ...(cnf && { cnf }), header: { x5c }, payload: { iss } })
}

for (const [what, credential, isBound, open, strict] of [
  ['by x5c, with key binding', await issue([leaf], holder.jwk), true, [], []],
  ['by x5c, without a holder key', await issue([leaf], undefined), false, [], []],
  ['with a holder key, without key binding', await issue([leaf], holder.jwk), false, [], ['kb.missing']],
  ['by x5c with the anchor', await issue([leaf, root], holder.jwk), true, [], ['issuer.not_certified']],
  ['of a DID', await issuer.issue({ name: 'A' }, { cnf: holder.jwk }), true, [], ['issuer.not_certified']],
] as const) {
  test(`a presentation ${what}: under HAIP ${strict.join() || 'no finding'} [HAIP-31, HAIP-32]`, async () => {
    const shown = present(credential, ['name'], isBound ? { ...restricted, key: holder } : null)
    for (const [haip, codes] of [
      [false, open],
      [true, strict],
    ] as const) {
      const by = { ...restricted, policy: policyOf({ settings: { haip } }) }
      const { issues } = await checkSdJwtPresentation(platform, shown, by)
      assert.deepEqual(
        issues.map(({ code }) => code),
        codes,
      )
    }
  })
}

/** A status list on which the credential is valid, as the issuer serves it. */
function statusListWith(header: object): string {
  const at = Math.floor(now.getTime() / 1000)
  const list = { bits: 1, lst: deflateSync(Buffer.alloc(16)).toString('base64url') }
  const claims = { sub: 'https://issuer.example/list', iat: at, exp: at + 600, status_list: list }
  const head = { typ: 'statuslist+jwt', alg: 'ES256', ...header }
  const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const chained = (...chain: Made[]) => ({ x5c: chain.map(({ certificate }) => certificate.der.toString('base64')) })
for (const [what, header, strict] of [
  ['with x5c', chained(leaf), []],
  ['without x5c', {}, ['status.not_certified']],
  ['with the anchor in x5c', chained(leaf, root), ['status.not_certified']],
] as const) {
  test(`a status list token ${what}: under HAIP ${strict.join() || 'no finding'}, else none [HAIP-30]`, async () => {
    const status = { status_list: { idx: 3, uri: 'https://issuer.example/list' } }
    const credential = await certified.issue(
      { name: 'A' },
      { cnf: holder.jwk, header: chained(leaf), payload: { iss, status } },
    )
    const shown = present(credential, ['name'], { ...restricted, key: holder })
    const answer = { status: 200, contentType: 'application/statuslist+jwt', headers: {} }
    const fetch = async () => ({ ...answer, body: Buffer.from(statusListWith(header)) })
    const trust = {
      ...restricted.trust,
      anchors: async () =>
        anchorSetOf([{ certificate: root.certificate, purposes: ['issuer', 'status'], owner: 'one' }]),
    }
    const at = { ...platform, fetch, memory: new Memory() }
    // the same process serves tenants with the profile and without it
    for (const [haip, codes] of [
      [false, []],
      [true, strict],
    ] as const) {
      const by = { ...restricted, trust, policy: policyOf({ settings: { haip } }) }
      const { issues } = await checkSdJwtPresentation(at, shown, by)
      assert.deepEqual(
        issues.map(({ code }) => code),
        codes,
      )
      for (const { message } of issues) assert.match(message, /has no x5c, or one with a self-signed certificate/)
    }
  })
}

test('a credential answers for a type that it also has, and is accepted from the allowed issuers only [DCQL-2, TM-6]', async () => {
  const about = { cnf: holder.jwk, vct: 'https://types.example/other', payload: { aka_vcts: [membership] } }
  for (const [by, codes] of [
    [issuer, []],
    [anIssuer(), ['issuer.not_allowed']],
  ] as const) {
    const shown = present(await by.issue({ name: 'A' }, about), ['name'], { ...expected, key: holder })
    const { presented, issues } = await checkSdJwtPresentation(platform, shown, expected)
    assert.deepEqual(
      issues.map(({ code }) => code),
      codes,
    )
    const [query] = parseQuery({
      credentials: [{ id: 'c', format: 'dc+sd-jwt', meta: { vct_values: [membership] } }],
    }).credentials
    if (presented !== null && query !== undefined) assert.equal(findUnmetReason(query, presented), null)
  }
})
