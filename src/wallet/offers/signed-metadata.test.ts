// Wallets of a tenant under HAIP request signed issuer metadata. They are signed by node:crypto, under certificates of
// openssl.
import assert from 'node:assert/strict'
import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { leafExtensions, type Made, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer } from '../test-support/foreign-issuer.ts'
import { setTenant } from '../test-support/mdoc-holder.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { resolveOffer } from './resolve-offer.ts'

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const root = tool.make({ subject: '/C=ZA/CN=Issuers', extensions: rootExtensions, ...years })
const stranger = tool.make({ subject: '/C=ZA/CN=Strangers', extensions: rootExtensions, ...years })

let bench: Bench
let issuer: ForeignIssuer
let signer: Made
before(async () => {
  bench = await openBench()
  issuer = await foreignIssuer({})
  signer = leafBelow(root)
})
after(async () => {
  await issuer.close()
  await bench.close()
  tool.remove()
})

/** A signer that is certified for the address of the issuer. */
function leafBelow(authority: Made, address = issuer.issuer): Made {
  const extensions = [...leafExtensions.slice(0, 3), `subjectAltName = URI:${address}`]
  return tool.make({ subject: '/C=ZA/CN=Issuer', issuer: authority, extensions, ...years })
}

async function person(haip: boolean, issuerPolicy = 'trusted') {
  const caller = await bench.person()
  await setTenant(bench, caller.tenantId, { haip, issuerPolicy })
  const entity = { name: 'Issuers', certificates: [root.pem], issuers: [issuer.issuer], purposes: ['issuer' as const] }
  await createTrustedEntity(bench.platform, caller, entity)
  return caller
}

type Change = { readonly header?: object; readonly claims?: object; readonly by?: Made }

/** The metadata of the issuer as a JWT, whose name differs from that in the plain ones. */
function jwtOf(plain: unknown, { header = {}, claims = {}, by = signer }: Change): string {
  const now = Math.floor(Date.now() / 1000)
  const head = { alg: 'ES256', typ: 'openidvci-issuer-metadata+jwt', x5c: chainOf(signer), ...header }
  const payload = { ...Object(plain), display: [{ name: 'Signed' }], sub: issuer.issuer, iat: now, ...claims }
  const text = [head, payload].map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')).join('.')
  const key = createPrivateKey(readFileSync(by.keyFile))
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const chainOf = (...made: Made[]) => made.map(({ certificate }) => certificate.der.toString('base64'))

/** The issuer sends its metadata signed. */
function signsMetadata(change: Change, jwt = (text: string) => text): void {
  issuer.lie({
    reply: { issuer: (reply) => ({ ...reply, type: 'application/jwt', body: jwt(jwtOf(reply.body, change)) }) },
  })
}

const lastAccept = () => issuer.calls.filter(({ place }) => place === 'issuer').at(-1)?.headers.accept
const preview = async (caller: Awaited<ReturnType<typeof person>>) =>
  resolveOffer(bench.platform, caller, issuer.offerUri)

for (const policy of ['trusted', 'any'])
  test(`[W-M3] [HAIP-6] under the profile signed metadata are requested and used, with the policy ${policy}`, async () => {
    signsMetadata({})
    const { display } = await preview(await person(true, policy))
    assert.deepEqual(display, [{ name: 'Signed' }])
    assert.equal(lastAccept(), 'application/jwt, application/json')
  })

test('[W-M1] [W-M3] [VCI-M22] plain metadata of an issuer that does not sign are used, and are what other tenants request', async () => {
  issuer.lie({})
  await preview(await person(true))
  await preview(await person(false))
  assert.equal(lastAccept(), 'application/json')
  signsMetadata({})
  assert.equal((await fault(preview(await person(false)))).code, 'upstream.media_type')
})

const now = Date.now() / 1000
const refusals: readonly (readonly [string, () => Change])[] = [
  ['of another type [SEC-21]', () => ({ header: { typ: 'JWT' } })],
  ['with the algorithm none [SEC-20]', () => ({ header: { alg: 'none' } })],
  ['signed by another key', () => ({ by: stranger })],
  ['of another issuer', () => ({ claims: { sub: 'https://else.example' } })],
  ['without sub', () => ({ claims: { sub: undefined } })],
  ['without iat', () => ({ claims: { iat: undefined } })],
  ['with iat in the future', () => ({ claims: { iat: now + 3600 } })],
  ['that have expired', () => ({ claims: { exp: now - 3600 } })],
  ['whose document names another issuer [W-M2]', () => ({ claims: { credential_issuer: 'https://else.example' } })],
  ['with the trust anchor in x5c [HAIP-6]', () => ({ header: { x5c: chainOf(signer, root) } })],
  ['with a self-signed signer [HAIP-6]', () => ({ header: { x5c: chainOf(stranger) }, by: stranger })],
  ['with a kid instead of x5c [HAIP-6]', () => ({ header: { x5c: undefined, kid: 'k1' } })],
  ['whose signer is certified by a stranger', () => signedBelow(stranger)],
  ['whose signer is certified for another issuer', () => signedBelow(root, 'https://else.example')],
]

function signedBelow(authority: Made, address?: string): Change {
  const by = leafBelow(authority, address)
  return { header: { x5c: chainOf(by) }, by }
}

test('[W-M3] signed metadata are refused, and plain ones are not requested instead', async (t) => {
  const caller = await person(true)
  for (const [what, change] of refusals) {
    await t.test(what, async () => {
      signsMetadata(change())
      const before = issuer.calls.filter(({ place }) => place === 'issuer').length
      const { code, detail } = await fault(preview(caller))
      assert.equal(code, 'issuer_metadata.invalid')
      if (what.includes('x5c')) assert.match(detail ?? '', /^x5c must name the signer of the metadata/)
      assert.equal(issuer.calls.filter(({ place }) => place === 'issuer').length, before + 1)
    })
  }
  await t.test('that are no JWT', async () => {
    signsMetadata({}, () => 'x')
    assert.equal((await fault(preview(caller))).code, 'issuer_metadata.invalid')
  })
})
