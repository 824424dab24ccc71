import assert from 'node:assert/strict'
import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Caller, TenantId } from '../../caller.ts'
import { leafExtensions, type Made, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { forgetTenants } from '../../directory/tenants/find-tenant.ts'
import { faults } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { didWebOf } from '../../protocols/did/did-web.ts'
import { sql } from '../../store/store.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { getCredential } from '../credentials/get-credential.ts'
import { removeCredential } from '../credentials/remove-credential.ts'
import { listHistory } from '../history/list-history.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Options, type Reply } from '../test-support/foreign-issuer.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'
import { issuerPolicyOf, refuseUntrusted } from './issuer-policy.ts'
import { endLateOrders } from './jobs.ts'
import { resolveOffer } from './resolve-offer.ts'

const setSettings = sql('test.wallet.settings', 'update tenant set settings = $2::jsonb where id = $1 returning id')

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(async () => {
  await bench.close()
  tool.remove()
})

async function changeSettings(tenantId: TenantId, settings: object): Promise<void> {
  await bench.platform.store.across('test set-up', (tx) => tx.rows(setSettings, [tenantId, JSON.stringify(settings)]))
  forgetTenants(bench.platform)
}
/** A person whose organisation takes credentials of trusted issuers only. */
async function cautious(body: object = {}): Promise<Caller> {
  const person = await bench.person()
  await changeSettings(person.tenantId, { issuerPolicy: 'trusted' })
  await createTrustedEntity(bench.platform, person, { name: 'One', ...body })
  return person
}
async function withIssuer(options: Options, run: (issuer: ForeignIssuer) => Promise<void>): Promise<void> {
  const issuer = await foreignIssuer(options)
  try {
    await run(issuer)
  } finally {
    await issuer.close()
  }
}
const placesOf = ({ calls }: ForeignIssuer) => calls.map(({ place }) => place)

test('the policy is `any` in development, `trusted` in production, and the setting of the tenant overrides both', async () => {
  const { tenantId } = await bench.person()
  const production: Platform = { ...bench.platform, config: { ...bench.platform.config, isDevelopment: false } }
  assert.equal(await issuerPolicyOf(bench.platform, tenantId), 'any')
  assert.equal(await issuerPolicyOf(production, tenantId), 'trusted')
  await changeSettings(tenantId, { issuerPolicy: 'trusted' })
  assert.equal(await issuerPolicyOf(bench.platform, tenantId), 'trusted')
  await changeSettings(tenantId, { issuerPolicy: 'any' })
  assert.equal(await issuerPolicyOf(production, tenantId), 'any')
})

test('the refusal is the 403 of the contract', () => {
  assert.deepEqual(faults['issuer.untrusted'].api, [403, 'UNTRUSTED_ISSUER'])
})

test('[W-O3, W-O6] an issuer that is not trusted is refused before more than the offer is fetched', () =>
  withIssuer({}, async (issuer) => {
    const person = await cautious({ dids: [{ did: 'did:web:else.example' }], issuers: ['https://else.example'] })
    for (const ask of [
      () => acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri }),
      () => resolveOffer(bench.platform, person, issuer.offerUri),
    ]) {
      await assert.rejects(ask, { code: 'issuer.untrusted', meta: { credentialIssuer: issuer.issuer } })
    }
    const byValue = acceptOffer(bench.platform, person, { credentialOffer: JSON.stringify(issuer.offer()) })
    await assert.rejects(byValue, { code: 'issuer.untrusted' })
    assert.deepEqual(placesOf(issuer), ['offer', 'offer'])
  }))

for (const [how, bodyOf] of [
  ['its address', (issuer: string) => ({ issuers: [issuer] })],
  ['the did:web of its address', (issuer: string) => ({ dids: [{ did: didWebOf(issuer) }] })],
] as const) {
  test(`an issuer is trusted by ${how}`, () =>
    withIssuer({ identity: 'jwt-vc-issuer' }, async (issuer) => {
      const credentialOffer = issuer.offerUri
      const onlyVerifier = await cautious({ ...bodyOf(issuer.issuer), purposes: ['verifier'] })
      const accepting = acceptOffer(bench.platform, onlyVerifier, { credentialOffer })
      await assert.rejects(accepting, { code: 'issuer.untrusted' })
      const person = await cautious(bodyOf(issuer.issuer))
      assert.equal((await acceptOffer(bench.platform, person, { credentialOffer })).credentials.length, 1)
    }))
}

test('[W-R6] a credential of a trusted issuer that an untrusted one signed is refused', () =>
  withIssuer({ identity: 'did:jwk' }, async (issuer) => {
    const person = await cautious({ issuers: [issuer.issuer] })
    const refused = acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
    const found = await fault(refused)
    assert.equal(found.code, 'credential.untrusted')
    assert.deepEqual(faults['credential.untrusted'].api, [422, 'CREDENTIAL_INVALID'])
    const message = 'The issuer is not among those that the organisation trusts.'
    assert.deepEqual(found.meta?.findings, [{ copy: 0, code: 'issuer.not_trusted', message }])
    assert.deepEqual(placesOf(issuer).includes('notification'), false, 'the issuer was notified of a failure')
  }))

test('a credential refused only for missing trust is kept sealed: after the signer is trusted, a repetition of the call stores it', () =>
  withIssuer({ identity: 'did:jwk' }, async (issuer) => {
    const person = await cautious({ issuers: [issuer.issuer] })
    const accept = () => acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
    const refused = await fault(accept())
    assert.equal((await fault(accept())).code, 'credential.untrusted')
    const { trust } = Object(refused.meta)
    assert.match(trust.operation, /^POST .*\/creds\/trusted-entities$/)
    assert.ok(refused.detail?.includes(trust.operation) && refused.detail.includes(trust.issuer), refused.detail ?? '')
    assert.deepEqual(await bench.rows(person.tenantId, 'wallet_credential'), [])
    await createTrustedEntity(bench.platform, person, { name: 'Signer', dids: [{ did: trust.issuer }] })
    assert.equal((await accept()).credentials.length, 1)
    assert.deepEqual(
      placesOf(issuer).filter((one) => one === 'token' || one === 'credential'),
      ['token', 'credential'],
    )
    assert.deepEqual(await bench.rows(person.tenantId, 'wallet_deferred'), [])
  }))

test('a sealed order that is not resumed is deleted after 30 days', () =>
  withIssuer({ identity: 'did:jwk' }, async (issuer) => {
    const person = await cautious({ issuers: [issuer.issuer] })
    await fault(acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri }))
    for (const [days, left] of [
      [29, 1],
      [2, 0],
    ] as const) {
      bench.later(days * 86_400)
      await endLateOrders(bench.platform, new AbortController().signal)
      assert.equal((await bench.rows(person.tenantId, 'wallet_deferred')).length, left)
    }
    bench.later(-31 * 86_400)
  }))

/** The issuer signs with a certificate of its own, for an address, under a root; `x5c` is what it sends along. */
function certified(issuer: ForeignIssuer, address: string, sendsRoot: boolean, iss = address): Made {
  const root = tool.make({ subject: '/C=ZA/CN=Club', extensions: rootExtensions, ...years })
  const extensions = [...leafExtensions.slice(0, 2), `subjectAltName = URI:${address}`]
  const leaf = tool.make({ subject: '/C=ZA/CN=Club Signer', issuer: root, extensions, ...years })
  const key = createPrivateKey(readFileSync(leaf.keyFile))
  const x5c = (sendsRoot ? [leaf, root] : [leaf]).map(({ certificate }) => certificate.der.toString('base64'))
  const signed = (raw: string) => {
    const [jwt = '', ...disclosures] = raw.split('~')
    const payload = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
    const parts = [
      { alg: 'ES256', typ: 'dc+sd-jwt', x5c },
      { ...payload, iss },
    ]
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
    return [`${text}.${signature}`, ...disclosures].join('~')
  }
  issuer.lie({ raw: signed })
  return root
}

test('with the policy `any` a certificate for the host of the issuer is accepted under an unknown root', () =>
  withIssuer({}, async (issuer) => {
    certified(issuer, issuer.issuer, false)
    const person = await bench.person()
    const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
    assert.equal(credentials[0]?.iss, issuer.issuer)
  }))

test('the issuer of a credential is the one that its certificate proves; the one that it states stands beside it', () =>
  withIssuer({}, async (issuer) => {
    const stated = 'https://registry.example'
    certified(issuer, issuer.issuer, false, stated)
    const person = await bench.person()
    const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
    const { id = '', ...credential } = credentials[0] ?? {}
    const said = { iss: 'CN=Club Signer,C=ZA', statedIss: stated }
    assert.partialDeepStrictEqual(credential, said)
    assert.partialDeepStrictEqual(await getCredential(bench.platform, person, id), said)
    const lineOf = async () =>
      (
        await listHistory(
          bench.platform,
          person,
          {},
          { size: 9, after: null, before: null, sort: { field: 'createdAt', descending: true }, readDescending: true },
        )
      )[0]
    assert.partialDeepStrictEqual((await lineOf())?.credential, said)
    await removeCredential(bench.platform, person, id)
    assert.partialDeepStrictEqual((await lineOf())?.credential, said)
  }))

test('a credential that states what is proven, or nothing, states nothing beside it', () =>
  withIssuer({}, async (issuer) => {
    certified(issuer, issuer.issuer, false)
    const person = await bench.person()
    const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
    assert.equal(credentials[0]?.statedIss, undefined)
  }))

for (const [what, policy, addressOf] of [
  ['is for another address', 'any', () => 'https://else.example'],
  ['is for the address, where only trusted issuers count', 'trusted', (issuer: string) => issuer],
] as const) {
  test(`a certificate under an unknown root that ${what} is not taken; the refusal names the root, and trusting it is enough`, () =>
    withIssuer({}, async (issuer) => {
      const root = certified(issuer, addressOf(issuer.issuer), true)
      const person = await cautious({ issuers: [issuer.issuer] })
      await changeSettings(person.tenantId, { issuerPolicy: policy })
      const accept = () => acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
      const refused = await fault(accept())
      assert.equal(refused.code, 'credential.untrusted')
      const wanted = { subject: 'CN=Club,C=ZA', fingerprint: root.certificate.fingerprint }
      assert.partialDeepStrictEqual(refused.meta, { trust: { root: wanted } })
      assert.ok(refused.detail?.includes('CN=Club,C=ZA'), refused.detail ?? '')
      await createTrustedEntity(bench.platform, person, {
        name: 'Club',
        certificates: [root.pem],
        purposes: ['issuer'],
      })
      assert.equal((await accept()).credentials.length, 1)
    }))
}

test('an mdoc is refused before the code is spent where no root of any issuer is trusted', () =>
  withIssuer({ offers: ['licence'] }, async (issuer) => {
    const person = await cautious({ issuers: [issuer.issuer] })
    await changeSettings(person.tenantId, { issuerPolicy: 'trusted', walletFormats: ['mso_mdoc'] })
    const refused = await fault(acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri }))
    assert.equal(refused.code, 'issuer.untrusted')
    assert.deepEqual(placesOf(issuer), ['offer', 'issuer'])
  }))

test('a credential of a trusted issuer that another trusted one signed is accepted', () =>
  withIssuer({ identity: 'did:jwk' }, async (issuer) => {
    const person = await cautious({ issuers: [issuer.issuer] })
    const trustSigner = async (reply: Reply) => {
      const [{ credential }] = Object(reply.body).credentials
      const { iss } = JSON.parse(Buffer.from(credential.split('.')[1], 'base64url').toString())
      await createTrustedEntity(bench.platform, person, { name: 'Signer', dids: [{ did: iss }] })
      return reply
    }
    issuer.lie({ reply: { credential: trustSigner } })
    const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
    assert.match(credentials[0]?.iss ?? '', /^did:jwk:/)
  }))

test('an organisation trusts its own credentials, and those of another organisation only by a trusted entity', async () => {
  const person = await cautious()
  const { urls } = bench.platform
  await refuseUntrusted(bench.platform, person, urls.issuer(person.tenantSlug))
  await assert.rejects(refuseUntrusted(bench.platform, person, urls.issuer('other')), { code: 'issuer.untrusted' })
  await createTrustedEntity(bench.platform, person, { name: 'Neighbour', dids: [{ did: urls.did('other') }] })
  await refuseUntrusted(bench.platform, person, urls.issuer('other'))
})
