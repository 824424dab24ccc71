// What the wallets of a tenant under HAIP refuse of an issuer. Certificates are made by openssl.
import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { leafExtensions, type Made, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { newId } from '../../store/row-id.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { createSession } from '../issuance-sessions/create-session.ts'
import { publishProviderRoot } from '../issuer-access/wallet-provider.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Lies, type Options } from '../test-support/foreign-issuer.ts'
import { describes, says } from '../test-support/lies.ts'
import { setTenant } from '../test-support/mdoc-holder.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const root = tool.make({ subject: '/C=ZA/CN=Issuers', extensions: rootExtensions, ...years })
const extensions = leafExtensions.slice(0, 3)
const leaf = tool.make({ subject: '/C=ZA/CN=Issuer', issuer: root, extensions, ...years })
const chainOf = (...made: Made[]) => made.map(({ certificate }) => certificate.der.toString('base64'))
const certified = { privateKey: createPrivateKey(readFileSync(leaf.keyFile)), x5c: chainOf(leaf) }

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(async () => {
  await bench.close()
  tool.remove()
})

async function withIssuer(options: Options, run: (issuer: ForeignIssuer) => Promise<void>): Promise<void> {
  const issuer = await foreignIssuer(options)
  try {
    await run(issuer)
  } finally {
    await issuer.close()
  }
}

async function person(haip: boolean) {
  const caller = await bench.person()
  await setTenant(bench, caller.tenantId, { haip, issuerPolicy: 'any' })
  await createTrustedEntity(bench.platform, caller, {
    name: 'Issuers',
    certificates: [root.pem],
    purposes: ['issuer', 'status'],
  })
  return caller
}

/** A credential that a wallet accepts, and one under HAIP refuses with a finding; none: it accepts it too. */
const credentials: readonly (readonly [string, Options['identity'], Lies, string?])[] = [
  ['by x5c, and its status list too', certified, { listed: {} }],
  ['of a DID [HAIP-31]', 'did:jwk', {}, 'issuer.not_certified'],
  ['of JWT VC issuer metadata [HAIP-31]', 'jwt-vc-issuer', {}, 'issuer.not_certified'],
  [
    'by x5c with the anchor [HAIP-31]',
    certified,
    { header: () => ({ x5c: chainOf(leaf, root) }) },
    'issuer.not_certified',
  ],
  [
    'whose status list token has no x5c [HAIP-30]',
    certified,
    { listed: { header: ({ x5c: _, ...head }) => head } },
    'status.not_certified',
  ],
  [
    'whose status list token has the anchor in x5c [HAIP-30]',
    certified,
    { listed: { header: (head) => ({ ...head, x5c: chainOf(leaf, root) }) } },
    'status.not_certified',
  ],
]
for (const [what, identity, lies, finding] of credentials) {
  test(`a credential ${what}: under HAIP ${finding ?? 'received'}`, () =>
    withIssuer(identity === undefined ? {} : { identity }, async (issuer) => {
      issuer.lie(lies)
      const other = await acceptOffer(bench.platform, await person(false), { credentialOffer: issuer.offerUri })
      assert.equal(other.credentials.length, 1)
    }).then(() =>
      withIssuer(identity === undefined ? {} : { identity }, async (issuer) => {
        issuer.lie(lies)
        const thandi = await person(true)
        const received = acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
        if (finding === undefined) return assert.equal((await received).credentials.length, 1)
        const { code, meta } = await fault(received)
        assert.equal(code, 'credential.invalid')
        const findings = meta?.findings as { code: string; message: string }[]
        assert.deepEqual(new Set(findings.map((one) => one.code)), new Set([finding]), JSON.stringify(meta))
        for (const { message } of findings) assert.match(message, /\bx5c\b.*self-signed certificate/)
        for (const table of ['wallet_credential', 'wallet_deferred', 'wallet_refill'])
          assert.deepEqual(await bench.rows(thandi.tenantId, table), [])
      }),
    ))
}

const profile = { pushed: true, dpop: true, attested: true }
/** Metadata at which a wallet under HAIP sends nothing. */
const issuers: readonly (readonly [string, Options['code'], Lies['reply']])[] = [
  ['pushed authorization requests [HAIP-2]', { dpop: true, attested: true }, {}],
  ['DPoP with ES256 [HAIP-2]', { pushed: true, attested: true }, {}],
  [
    'iss in authorization responses [HAIP-2]',
    profile,
    { server: says({ authorization_response_iss_parameter_supported: undefined }) },
  ],
  ['client attestations [HAIP-8]', { pushed: true, dpop: true }, {}],
  ['a scope for each credential [HAIP-3]', profile, { issuer: describes({ scope: undefined }) }],
  ['a nonce endpoint [HAIP-4]', profile, { issuer: says({ nonce_endpoint: undefined }) }],
]
for (const [what, code, reply] of issuers) {
  test(`an issuer without ${what} is refused under HAIP before anything is sent, and used by others`, () =>
    withIssuer({ code: { ...code, provider: () => publishProviderRoot(bench.platform) } }, async (issuer) => {
      const pushed = { status: 201, type: 'application/json', body: { request_uri: 'urn:x', expires_in: 60 } }
      issuer.lie({ reply: { ...reply, par: () => pushed } })
      const begin = async (haip: boolean) =>
        createSession(bench.platform, await person(haip), { credentialOffer: issuer.offerUri }, newId())
      const refused = await fault(begin(true))
      assert.equal(refused.code, 'issuer_metadata.invalid')
      assert.ok(refused.detail?.includes(`have no ${what.replace(/ \[.*/, '')}.`), JSON.stringify(refused.detail))
      assert.equal(issuer.calls.filter(({ place }) => place === 'par' || place === 'challenge').length, 0)
      await begin(false)
    }))
}

/** The key in a proof. Other tests check proofs. */
const keyIn = (proof: string) => JSON.parse(Buffer.from(proof.split('.')[0] ?? '', 'base64url').toString()).jwk

test('[HAIP-8] a pre-authorized code is redeemed anonymously, but under HAIP with an attestation where the server takes one', () =>
  withIssuer({ identity: certified, keysOf: async ({ jwt = [] }) => jwt.map(keyIn) }, async (issuer) => {
    const methods = { token_endpoint_auth_methods_supported: ['none', 'attest_jwt_client_auth'] }
    issuer.lie({ reply: { server: says(methods) } })
    await acceptOffer(bench.platform, await person(true), { credentialOffer: issuer.offerUri })
    const [token] = issuer.calls.filter(({ place }) => place === 'token')
    assert.ok(token?.headers['oauth-client-attestation'])
    assert.equal(new URLSearchParams(token?.body ?? '').get('client_id'), bench.platform.urls.publicUrl)
    // a grant is redeemed once
    await fault(acceptOffer(bench.platform, await person(false), { credentialOffer: issuer.offerUri }))
    const other = issuer.calls.findLast(({ place }) => place === 'token')
    assert.equal(other?.headers['oauth-client-attestation'], undefined)
  }))
