// A tenant with `haip: true` issues by the High Assurance Interoperability Profile 1.0 and refuses the rest.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { answerPushedRequest } from '../../authorization/server/endpoint/pushed-requests.ts'
import { answerTokenRequest } from '../../authorization/server/endpoint/token-endpoint.ts'
import type { Grant } from '../../authorization/server/instance.ts'
import { signCompact } from '../../crypto/jws.ts'
import { readPem } from '../../crypto/x509/pem.ts'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import { forgetTenants, getTenant } from '../../directory/tenants/find-tenant.ts'
import { setTenantSettings } from '../../directory/tenants/tenant-store.ts'
import { Fault } from '../../fault.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { newId } from '../../store/row-id.ts'
import { type ActiveSigner, activeSigner } from '../../trust/certificates/active-signer.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { aChallenge, attestationHeaders, instance, trustProvider } from '../test-support/client-attestation.ts'
import {
  aDatabase,
  aKey,
  aNonce,
  anIssuer,
  anOffer,
  aRoot,
  aTemplate,
  callerOf,
  type Issuer,
  type Reply,
  redeem,
  request,
  someClaims,
  type Tenant,
} from '../test-support/issuer.ts'
import { issuerInstance } from './issuer-instance.ts'

let db: TestDatabase
let issuer: Issuer
/** A wallet provider with a certificate. */
let provider: ActiveSigner
let authority: { readonly certificate: string }
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  const maker = await issuer.anotherTenant()
  // The leaf of a P-256 root is for mobile documents alone.
  authority = await aRoot(issuer, { keyType: 'Ed25519' }, maker)
  provider = await activeSigner(issuer.platform, maker.id, 'issuer', 'Ed25519')
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

const redirectUri = 'https://wallet.example/callback'
const walletOf = ({ slug }: Tenant) => `wallet-${slug}`

/** A tenant that trusts the wallet provider and knows the wallet; its profile is off. */
async function aTenant(): Promise<Tenant> {
  const tenant = await issuer.anotherTenant()
  const made = await issuer.api('POST', '/templates/credentials', aTemplate({ code: 'pushed' }), tenant)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const entity = { name: 'Wallet providers', certificates: [authority.certificate], purposes: ['attester' as const] }
  await createTrustedEntity(issuer.platform, callerOf(tenant), entity)
  await trustProvider(issuer, tenant)
  const client = { clientId: walletOf(tenant), scopes: [], isPublic: true, redirectUris: [redirectUri] }
  await applyBootstrap(issuer.platform, { tenants: [{ slug: tenant.slug, name: 'Acme College', clients: [client] }] })
  return tenant
}

async function setHaip(tenant: Tenant, more: { attestationChallenge?: 'required' } = {}): Promise<void> {
  const { platform, clock } = issuer
  await platform.store.inTenant(tenant.id, (tx) => setTenantSettings(tx, { haip: true, ...more }, clock.at))
  forgetTenants(platform)
}

async function aHaipTenant(): Promise<Tenant> {
  const tenant = await aTenant()
  await setHaip(tenant)
  return tenant
}

const seconds = () => issuer.clock.at.getTime() / 1000

/** The headers of the wallet. @param more Certificates after those of its provider. */
async function certified(
  tenant: Tenant,
  more: readonly string[] = [],
  challenge = aChallenge(issuer, tenant),
): Promise<Record<string, string>> {
  const header = { typ: 'oauth-client-attestation+jwt', x5c: [...provider.x5c, ...more] }
  const claims = { sub: walletOf(tenant), exp: seconds() + 600, cnf: { jwk: instance.publicJwk } }
  const attestation = await signCompact(header, claims, provider.key)
  const change = { attestation, popClaims: { iss: walletOf(tenant) } }
  return attestationHeaders(issuer, await challenge, change, tenant)
}

const byDid = (tenant: Tenant) => unchained(tenant)

/** The headers of the wallet, with an attestation that has no `x5c`. */
async function unchained(tenant: Tenant, header = {}): Promise<Record<string, string>> {
  const change = { header, claims: { sub: walletOf(tenant) }, popClaims: { iss: walletOf(tenant) } }
  return attestationHeaders(issuer, await aChallenge(issuer, tenant), change, tenant)
}

async function dpopProof(tenant: Tenant, endpoint: 'token' | 'par'): Promise<string> {
  const htu = `${issuer.platform.urls.issuer(tenant.slug)}/${endpoint}`
  const claims = { htm: 'POST', htu, iat: seconds(), jti: newId(), nonce: await aChallenge(issuer, tenant) }
  const key = aKey()
  return signCompact({ typ: 'dpop+jwt', jwk: { ...key.publicJwk } }, claims, key)
}

/** A grant that needs a client, as those of the code flow do. */
const codes: Grant = { type: 'authorization_code', client: 'required', issue: async () => ({ access_token: 'one' }) }

/** Sends a request to the server of a tenant, with the code flow. */
async function answerTo(tenant: Tenant, endpoint: 'token' | 'par', headers: Record<string, string>) {
  const { platform } = issuer
  const server = issuerInstance(platform, await getTenant(platform, tenant.slug))
  const endpoints = { ...server.endpoints, pushedRequest: `${server.issuer}/par` }
  const form = {
    grant_type: 'authorization_code',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'pushed',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    client_id: walletOf(tenant),
  }
  const ask = {
    platform,
    instance: { ...server, endpoints, acceptsDpop: true, grants: [codes] },
    form,
    headers,
    ip: '192.0.2.1',
    requestId: 'r',
  }
  return (endpoint === 'par' ? answerPushedRequest : answerTokenRequest)(ask)
}

/** The same. @returns the status, or the code of the fault */
async function sent(...request: Parameters<typeof answerTo>): Promise<string> {
  try {
    return String((await answerTo(...request)).status)
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}

for (const [what, endpoint, headers, open, strict] of [
  [
    '[HAIP-8] no client authentication when a request is pushed',
    'par',
    async () => ({}),
    '201',
    'client.unauthenticated',
  ],
  ['[HAIP-8] an attester that is named by a DID', 'par', byDid, '201', 'client_attestation.invalid'],
  [
    '[HAIP-8] the trust anchor in x5c',
    'par',
    (tenant: Tenant) => certified(tenant, [readPem(authority.certificate).der.toString('base64')]),
    '201',
    'client_attestation.invalid',
  ],
  [
    '[HAIP-8] no client authentication at the token endpoint',
    'token',
    async () => ({}),
    '200',
    'client.unauthenticated',
  ],
  [
    '[HAIP-2] a token request without DPoP',
    'token',
    (tenant: Tenant) => certified(tenant),
    '200',
    'dpop_proof.invalid',
  ],
] as const) {
  test(`${what} is refused under the profile, and accepted without it`, async () => {
    const [plain, haip] = [await aTenant(), await aHaipTenant()]
    assert.equal(await sent(plain, endpoint, await headers(plain)), open)
    assert.equal(await sent(haip, endpoint, await headers(haip)), strict)
  })
}

for (const [what, headers] of [
  ['a kid of a DID', byDid],
  ['another kid', (tenant: Tenant) => unchained(tenant, { kid: 'provider-1' })],
  ['nothing', (tenant: Tenant) => unchained(tenant, { kid: undefined })],
] as const) {
  test(`[HAIP-8] an attestation whose attester ${what} names is refused because it has no x5c`, async () => {
    const tenant = await aHaipTenant()
    const detail = /^x5c must name the attester/
    await assert.rejects(answerTo(tenant, 'par', await headers(tenant)), { code: 'client_attestation.invalid', detail })
  })
}

test('[HAIP-2] [HAIP-8] a wallet with an attestation by x5c and DPoP is accepted under the profile', async () => {
  const haip = await aHaipTenant()
  assert.equal(await sent(haip, 'par', await certified(haip)), '201')
  assert.equal(await sent(haip, 'token', { ...(await certified(haip)), dpop: await dpopProof(haip, 'token') }), '200')
})

test('an attestation without a challenge is accepted under the profile, unless the tenant demands it', async () => {
  const tenant = await aHaipTenant()
  const unchallenged = () => certified(tenant, [], Promise.resolve(''))
  assert.equal(await sent(tenant, 'par', await unchallenged()), '201')
  const token = { ...(await unchallenged()), dpop: await dpopProof(tenant, 'token') }
  assert.equal(await sent(tenant, 'token', token), '200')
  const stale = await certified(tenant, [], Promise.resolve('not-ours'))
  assert.equal(await sent(tenant, 'par', stale), 'client_attestation.challenge')
  await setHaip(tenant, { attestationChallenge: 'required' })
  assert.equal(await sent(tenant, 'par', await unchallenged()), 'client_attestation.challenge')
  assert.equal(await sent(tenant, 'par', await certified(tenant)), '201')
})

test('[HAIP-1] the pre-authorized code is refused under the profile, and the metadata do not offer it', async () => {
  const tenant = await aTenant()
  await aRoot(issuer, {}, tenant)
  const { code } = await anOffer(issuer, {}, {}, tenant)
  await setHaip(tenant)
  const { status, body } = await redeem(issuer, code, {}, tenant)
  assert.deepEqual([status, body.error], [400, 'unsupported_grant_type'])
  const metadata = (await issuer.open(`/.well-known/oauth-authorization-server/issuers/${tenant.slug}`)).body
  assert.partialDeepStrictEqual(metadata, {
    'pre-authorized_grant_anonymous_access_supported': false,
    require_pushed_authorization_requests: true,
    token_endpoint_auth_methods_supported: ['private_key_jwt', 'attest_jwt_client_auth'],
  })
  assert.ok(!metadata.grant_types_supported.includes('urn:ietf:params:oauth:grant-type:pre-authorized_code'))
})

/** A user of the tenant. */
async function aRecipient({ slug }: Tenant) {
  const value = `u-${newId()}`
  await applyBootstrap(issuer.platform, { tenants: [{ slug, name: 'Acme College', users: [{ username: value }] }] })
  return { identifierType: 'username', value }
}

for (const [what, grants, isNamed, outcome] of [
  ['without a user and grants', undefined, false, [400, '/grants']],
  ['with the pre-authorized code', ['pre-authorized_code'], true, [400, '/grants']],
  ['with both grants', ['pre-authorized_code', 'authorization_code'], true, [400, '/grants']],
  ['with the authorization code, but without a user', ['authorization_code'], false, [400, '/recipient']],
  ['with the authorization code and a user', ['authorization_code'], true, [200, 'authorization_code']],
  ['with a user', undefined, true, [200, 'authorization_code']],
] as const) {
  test(`[HAIP-1] an issuance ${what} is ${outcome[0] === 200 ? 'an offer with the authorization code' : 'refused at once'} under the profile`, async () => {
    const tenant = await aHaipTenant()
    await aRoot(issuer, {}, tenant)
    const [template] = (await issuer.api('GET', '/templates/credentials', undefined, tenant)).body.data
    const about = { credentialTemplateId: template.id, attributes: someClaims, ...(grants && { grants }) }
    const body = { ...about, ...(isNamed && { recipient: await aRecipient(tenant) }) }
    const made = await issuer.api('POST', '/credentials/issuance', body, tenant)
    if (made.status !== 200) {
      assert.deepEqual([made.status, made.body.errors[0].source.pointer], outcome)
      if (outcome[1] === '/grants') assert.match(made.body.errors[0].detail, /HAIP 1\.0.*\["authorization_code"\]/)
      return
    }
    const uri = new URL(made.body.data.offerUri).searchParams.get('credential_offer_uri') ?? ''
    assert.deepEqual([made.status, ...Object.keys((await issuer.open(uri)).body.grants)], outcome)
  })
}

test('[HAIP-1] a batch is refused at once under the profile, and its check too: its offers have the pre-authorized code', async () => {
  const tenant = await aTenant()
  const [template] = (await issuer.api('GET', '/templates/credentials', undefined, tenant)).body.data
  const body = { credentialTemplateId: template.id, items: [{ attributes: someClaims }] }
  assert.equal((await issuer.api('POST', '/credentials/issuance/batch', body, tenant)).status, 202)
  await setHaip(tenant)
  for (const query of ['', '?check=true']) {
    const refused = await issuer.api('POST', `/credentials/issuance/batch${query}`, body, tenant)
    assert.equal(refused.status, 409)
    assert.match(refused.body.errors[0].detail, /POST \/creds\/credentials\/issuance/)
  }
})

for (const [what, signer, pointer] of [
  ['the did:web key', { kind: 'did:web' }, '/signer/kind'],
  ['an Ed25519 certificate', { kind: 'certificate', keyType: 'Ed25519' }, '/signer/keyType'],
] as const) {
  test(`[HAIP-31] a template that is signed with ${what} is refused under the profile, and what was made before issues no more`, async () => {
    const tenant = await aTenant()
    await aRoot(issuer, { keyType: 'Ed25519' }, tenant)
    const made = await issuer.api('POST', '/templates/credentials', aTemplate({ signer }), tenant)
    assert.equal(made.status, 201)
    await setHaip(tenant)
    const refused = await issuer.api('POST', '/templates/credentials', aTemplate({ signer }), tenant)
    assert.deepEqual([refused.status, refused.body.errors[0].source.pointer], [400, pointer])
    const { id } = made.body.data
    const replaced = await issuer.api(
      'PUT',
      `/templates/credentials/${id}`,
      aTemplate({ signer, code: made.body.data.code }),
      tenant,
    )
    assert.equal(replaced.status, 400)
    const body = { credentialTemplateId: id, attributes: someClaims, recipient: await aRecipient(tenant) }
    assert.equal((await issuer.api('POST', '/credentials/issuance', body, tenant)).status, 409)
  })
}

/** An access token of a template that asks for nothing, before the profile is on. */
async function aTokenBefore(tenant: Tenant) {
  const offer = await anOffer(issuer, {}, {}, tenant)
  const { body } = await redeem(issuer, offer.code, {}, tenant)
  await setHaip(tenant)
  return { token: body.access_token as string, code: offer.template.code as string }
}

/** A credential request with a proof whose key the provider attests. */
async function attestedRequest(
  tenant: Tenant,
  { token, code }: { token: string; code: string },
  header: object,
): Promise<Reply> {
  const [key, nonce] = [aKey(), await aNonce(issuer, tenant)]
  const claims = { iat: seconds(), exp: seconds() + 600, attested_keys: [key.publicJwk], nonce }
  const attestation = await signCompact({ typ: 'key-attestation+jwt', ...header }, claims, provider.key)
  return issuer.open(`/issuers/${tenant.slug}/credential`, {
    json: { credential_configuration_id: code, proofs: { attestation: [attestation] } },
    headers: { authorization: `Bearer ${token}` },
  })
}

test('[HAIP-3] [HAIP-9] [HAIP-31] a credential needs attested keys, an attester by x5c alone and a certificate, under the profile', async () => {
  const tenant = await aTenant()
  const made = await aTokenBefore(tenant)
  const x5c = provider.x5c
  const without = await attestedRequest(tenant, made, { x5c })
  assert.deepEqual(
    [without.status, without.body.error],
    [400, 'credential_request_denied'],
    'no certificate to sign with',
  )
  await aRoot(issuer, {}, tenant)
  const plain = await request(issuer, made.token, made.code, [aKey()], { tenant })
  assert.deepEqual([plain.status, plain.body.error], [400, 'invalid_proof'])
  const anchored = await attestedRequest(tenant, made, {
    x5c: [...x5c, readPem(authority.certificate).der.toString('base64')],
  })
  const unnamed = await attestedRequest(tenant, made, {})
  for (const { status, body } of [anchored, unnamed]) {
    assert.deepEqual([status, body.error], [400, 'invalid_proof'])
    assert.match(body.error_description, /^x5c must name the attester/)
  }
  const { status, body } = await attestedRequest(tenant, made, { x5c })
  assert.equal(status, 200, JSON.stringify(body))
  const { header } = parseSdJwt(body.credentials[0].credential).jwt
  assert.deepEqual([header.alg, Array.isArray(header.x5c), header.kid], ['ES256', true, undefined])
  const metadata = (await issuer.open(`/.well-known/openid-credential-issuer/issuers/${tenant.slug}`)).body
  const { proof_types_supported: types, scope } = metadata.credential_configurations_supported[made.code]
  assert.equal(scope, made.code)
  assert.deepEqual([types.jwt.key_attestations_required, types.attestation.key_attestations_required], [{}, {}])
})
