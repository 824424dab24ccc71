import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller, TenantId } from '../caller.ts'
import { forgetTenants } from '../directory/find-tenant.ts'
import { faults } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { didWebOf } from '../protocols/did/did-web.ts'
import { sql } from '../store/store.ts'
import { addTrustedEntity } from '../trust/trusted-entities.ts'
import { acceptOffer } from './accept-offer.ts'
import { issuerPolicyOf, refuseUntrusted } from './issuer-policy.ts'
import { resolveOffer } from './resolve-offer.ts'
import { type ForeignIssuer, foreignIssuer, type Options, type Reply } from './test-support/foreign-issuer.ts'
import { type Bench, openBench } from './test-support/wallet-platform.ts'

const setSettings = sql('test.wallet.settings', 'update tenant set settings = $2::jsonb where id = $1 returning id')

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

async function told(tenantId: TenantId, settings: object): Promise<void> {
  await bench.platform.store.across('test set-up', (tx) => tx.rows(setSettings, [tenantId, JSON.stringify(settings)]))
  forgetTenants(bench.platform)
}
/** A person whose organisation takes credentials of trusted issuers only. */
async function cautious(body: object = {}): Promise<Caller> {
  const person = await bench.person()
  await told(person.tenantId, { issuerPolicy: 'trusted' })
  await addTrustedEntity(bench.platform, person, { name: 'One', ...body })
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

test('the policy is `any` in development, `trusted` in production, and what the tenant says before both', async () => {
  const { tenantId } = await bench.person()
  const production: Platform = { ...bench.platform, config: { ...bench.platform.config, isDevelopment: false } }
  assert.equal(await issuerPolicyOf(bench.platform, tenantId), 'any')
  assert.equal(await issuerPolicyOf(production, tenantId), 'trusted')
  await told(tenantId, { issuerPolicy: 'trusted' })
  assert.equal(await issuerPolicyOf(bench.platform, tenantId), 'trusted')
  await told(tenantId, { issuerPolicy: 'any' })
  assert.equal(await issuerPolicyOf(production, tenantId), 'any')
})

test('the refusal is the 403 of the contract', () => {
  assert.deepEqual(faults['issuer.untrusted'].api, [403, 'UNTRUSTED_ISSUER'])
})

test('an issuer that is not trusted is refused before it is asked for more than the offer', () =>
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
      const asked = acceptOffer(bench.platform, onlyVerifier, { credentialOffer })
      await assert.rejects(asked, { code: 'issuer.untrusted' })
      const person = await cautious(bodyOf(issuer.issuer))
      assert.equal((await acceptOffer(bench.platform, person, { credentialOffer })).credentials.length, 1)
    }))
}

test('a trusted issuer does not pass on what somebody else signed', () =>
  withIssuer({ identity: 'did:jwk' }, async (issuer) => {
    const person = await cautious({ issuers: [issuer.issuer] })
    const refused = acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
    const message = 'The issuer is none of those that the organisation trusts.'
    const meta = { findings: [{ copy: 0, code: 'issuer.not_trusted', message }] }
    await assert.rejects(refused, { code: 'credential.invalid', meta })
  }))

test('a trusted issuer passes on what somebody signed who is trusted too', () =>
  withIssuer({ identity: 'did:jwk' }, async (issuer) => {
    const person = await cautious({ issuers: [issuer.issuer] })
    const trustSigner = async (reply: Reply) => {
      const [{ credential }] = Object(reply.body).credentials
      const { iss } = JSON.parse(Buffer.from(credential.split('.')[1], 'base64url').toString())
      await addTrustedEntity(bench.platform, person, { name: 'Signer', dids: [{ did: iss }] })
      return reply
    }
    issuer.lie({ reply: { credential: trustSigner } })
    const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
    assert.match(credentials[0]?.iss ?? '', /^did:jwk:/)
  }))

test('an organisation takes its own credentials without saying so, and those of its neighbour only if it says so', async () => {
  const person = await cautious()
  const { urls } = bench.platform
  await refuseUntrusted(bench.platform, person, urls.issuer(person.tenantSlug))
  await assert.rejects(refuseUntrusted(bench.platform, person, urls.issuer('other')), { code: 'issuer.untrusted' })
  await addTrustedEntity(bench.platform, person, { name: 'Neighbour', dids: [{ did: urls.did('other') }] })
  await refuseUntrusted(bench.platform, person, urls.issuer('other'))
})
