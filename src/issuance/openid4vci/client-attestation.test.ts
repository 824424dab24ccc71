// Wallets as clients of the issuer, by drafts 07 to 10 of Attestation-Based Client Authentication. Attestations are
// signed by jose.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SignJWT } from 'jose'
import type { TestDatabase } from '../../../test/support/database.ts'
import { answerPushedRequest } from '../../authorization/server/endpoint/pushed-requests.ts'
import { answerTokenRequest } from '../../authorization/server/endpoint/token-endpoint.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { setTenantSettings } from '../../directory/tenants/tenant-store.ts'
import { newId } from '../../store/row-id.ts'
import {
  type AttestationChange,
  aChallenge,
  attestationHeaders,
  instance,
  trustProvider,
  walletId,
} from '../test-support/client-attestation.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  anOffer,
  aToken,
  type Issuer,
  request,
  type Tenant,
} from '../test-support/issuer.ts'
import { issuerInstance } from './issuer-instance.ts'

type KeyPair = Pick<ReturnType<typeof generateKeyPair>, 'publicJwk' | 'privateKey'>

let db: TestDatabase
let issuer: Issuer
let other: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  other = await anIssuer(db, undefined, {}, issuer.tenant)
  await trustProvider(issuer, issuer.tenant)
})
after(async () => {
  await issuer.server.close(0)
  await other.server.close(0)
  await db.close()
})

const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

/** A token request with these headers. */
async function tokenWith(headers: Record<string, string>, more: Record<string, string> = {}, tenant = issuer.tenant) {
  const { code } = await anOffer(issuer, {}, {}, tenant)
  const form = { grant_type: grant, 'pre-authorized_code': code, ...more }
  return issuer.open(`/issuers/${tenant.slug}/token`, { form, headers })
}

async function aTenantThatRequiresClients(): Promise<Tenant> {
  const tenant = await issuer.anotherTenant()
  const settings = { clientAuthentication: 'required' }
  await issuer.platform.store.inTenant(tenant.id, (tx) => setTenantSettings(tx, settings, issuer.clock.at))
  return tenant
}

const metadataOf = async ({ slug }: Tenant) =>
  (await issuer.open(`/.well-known/oauth-authorization-server/issuers/${slug}`)).body

test('a wallet with an attestation and a challenge gets a token, and the next challenge', async () => {
  const headers = await attestationHeaders(issuer, await aChallenge(issuer))
  const { status, body, headers: got } = await tokenWith(headers, { client_id: walletId })
  assert.equal(status, 200, JSON.stringify(body))
  assert.ok((got['oauth-client-attestation-challenge'] ?? '').length > 16)
  assert.equal(got['cache-control'], 'no-store')
})

test('draft 10, 12.1: a proof without a challenge is accepted once, while it is fresh', async () => {
  const headers = await attestationHeaders(issuer, undefined)
  assert.equal((await tokenWith(headers)).status, 200)
  const { status, body } = await tokenWith(headers)
  assert.deepEqual([status, body.error], [400, 'invalid_client_attestation'])
  const stale = await attestationHeaders(issuer, undefined, { popClaims: { iat: seconds() - 301 } })
  assert.equal((await tokenWith(stale)).body.error, 'invalid_client_attestation')
})

test('an attestation in the shape of draft 10, without iss and iat, is accepted', async () => {
  const change = { claims: { iss: undefined, iat: undefined }, popClaims: { iss: undefined } }
  const { status } = await tokenWith(await attestationHeaders(issuer, await aChallenge(issuer), change))
  assert.equal(status, 200)
})

const stranger = generateKeyPair()
const seconds = () => issuer.clock.at.getTime() / 1000
const refusals = [
  ['[SEC-21] draft 10, 5.1: another type', () => ({ header: { typ: 'JWT' } })],
  ['draft 10, 8.1: an algorithm that is not accepted', () => ({ header: { alg: 'HS256' }, by: new Uint8Array(32) })],
  ['draft 10, 5.1: no sub', () => ({ claims: { sub: undefined } })],
  ['draft 10, 5.1: no exp', () => ({ claims: { exp: undefined } })],
  ['draft 10, 5.1: no cnf', () => ({ claims: { cnf: undefined } })],
  ['draft 10, 5.1: a cnf by kid', () => ({ claims: { cnf: { kid: 'one' } } })],
  [
    'draft 10, 8.1: a private key in cnf',
    () => ({ claims: { cnf: { jwk: instance.privateKey.export({ format: 'jwk' }) } } }),
  ],
  ['RFC 7519 4.1.5: an nbf in the future', () => ({ claims: { nbf: seconds() + 300 } })],
  ['an iat in the future', () => ({ claims: { iat: seconds() + 300 } })],
  ['draft 10, 8.1: a signature by another key', () => ({ by: stranger.privateKey })],
  ['draft 10, 8.1: an attester without a name', () => ({ header: { kid: undefined } })],
  ['draft 10, 8.1: a chain to no trusted attester', () => ({ header: { kid: undefined, x5c: ['AAAA'] } })],
  ['draft 10, 8.1: an exp that passed', () => ({ claims: { exp: seconds() - 120 } }), 'use_fresh_attestation'],
  ['[SEC-21] draft 10, 5.2: a proof of another type', () => ({ popHeader: { typ: 'dpop+jwt' } })],
  ['draft 10, 8.2: a proof by another key', () => ({ popBy: stranger.privateKey })],
  [
    'draft 10, 8.2: a proof for the token endpoint instead of the issuer',
    () => ({ popClaims: { aud: `${issuer.platform.urls.issuer(issuer.tenant.slug)}/token` } }),
  ],
  [
    'draft 10, 8.2: a proof for several audiences',
    () => ({ popClaims: { aud: [issuer.platform.urls.issuer(issuer.tenant.slug), 'https://b.example'] } }),
  ],
  ['draft 10, 5.2: a proof without jti', () => ({ popClaims: { jti: undefined } })],
  ['draft 10, 5.2: a proof without iat', () => ({ popClaims: { iat: undefined } })],
  ['draft 10, 8.2: a proof that is too old', () => ({ popClaims: { iat: seconds() - 301 } })],
  ['draft 10, 8.2: a proof from the future', () => ({ popClaims: { iat: seconds() + 61 } })],
  ['draft 07, 8: an iss of the proof that is not the client', () => ({ popClaims: { iss: 'https://other.example' } })],
  ['draft 10, 8.2: a challenge of its own', () => ({ popClaims: { challenge: 'mine' } }), 'use_attestation_challenge'],
] as const satisfies readonly (readonly [string, () => object, string?])[]

for (const [what, change, error = 'invalid_client_attestation'] of refusals) {
  test(`an attestation is refused at token and credential endpoint, though none is required: ${what}`, async () => {
    const headers = () =>
      aChallenge(issuer).then((one) => attestationHeaders(issuer, one, change() as AttestationChange))
    const { token, template } = await aToken(issuer)
    const atCredential = await request(issuer, token, template.code, [aKey()], { headers: await headers() })
    for (const { status, body, headers: got } of [await tokenWith(await headers()), atCredential]) {
      assert.deepEqual([status, body.error], [400, error], JSON.stringify(body))
      assert.equal('oauth-client-attestation-challenge' in got, error === 'use_attestation_challenge')
    }
    assert.equal((await request(issuer, token, template.code, [aKey()])).status, 200, 'nothing was spent')
  })
}

for (const [what, change] of [
  [
    'draft 10, 8.1: two attestations',
    (a: Record<string, string>) => ({
      ...a,
      'oauth-client-attestation': `${a['oauth-client-attestation']}, ${a['oauth-client-attestation']}`,
    }),
  ],
  [
    'draft 10, 8.2: two proofs',
    (a: Record<string, string>) => ({
      ...a,
      'oauth-client-attestation-pop': `${a['oauth-client-attestation-pop']}, x`,
    }),
  ],
  [
    'draft 10, 8.2: no proof',
    (a: Record<string, string>) => ({ 'oauth-client-attestation': a['oauth-client-attestation'] ?? '' }),
  ],
  [
    'draft 10, 8.1: a proof alone',
    (a: Record<string, string>) => ({ 'oauth-client-attestation-pop': a['oauth-client-attestation-pop'] ?? '' }),
  ],
] as const) {
  test(`a token request is refused with ${what}`, async () => {
    const headers = change(await attestationHeaders(issuer, await aChallenge(issuer)))
    const { status, body } = await tokenWith(headers)
    assert.deepEqual([status, body.error], [400, 'invalid_client_attestation'], JSON.stringify(body))
  })
}

test('a token request is refused with draft 10, 8.3: a DPoP proof that is none', async () => {
  const { 'oauth-client-attestation': attestation = '' } = await attestationHeaders(issuer, await aChallenge(issuer))
  const { status, body } = await tokenWith({ 'oauth-client-attestation': attestation, dpop: 'x' })
  assert.deepEqual([status, body.error], [400, 'invalid_dpop_proof'], JSON.stringify(body))
})

test('draft 10, 8.1: client_id must be that of the attestation', async () => {
  const headers = await attestationHeaders(issuer, await aChallenge(issuer))
  assert.equal(
    (await tokenWith(headers, { client_id: 'https://other.example' })).body.error,
    'invalid_client_attestation',
  )
})

test('[SEC-11] an attestation for one tenant is refused at another that trusts the same attester', async () => {
  const tenant = await issuer.anotherTenant()
  await trustProvider(issuer, tenant)
  const headers = await attestationHeaders(issuer, await aChallenge(issuer))
  assert.equal((await tokenWith(headers, {}, tenant)).body.error, 'invalid_client_attestation')
  const own = await attestationHeaders(issuer, await aChallenge(issuer), {}, tenant)
  assert.equal((await tokenWith(own, {}, tenant)).status, 200)
})

test('draft 10, 12.1: a proof is accepted once: of 100 requests at two processes one gets a token', async () => {
  const headers = await attestationHeaders(issuer, await aChallenge(issuer))
  const offers: Awaited<ReturnType<typeof anOffer>>[] = []
  for (let made = 0; made < 10; made += 1) offers.push(await anOffer(issuer))
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => {
      const form = { grant_type: grant, 'pre-authorized_code': offers[at % 10]?.code ?? '' }
      const { status } = await (at % 2 === 0 ? issuer : other).open(`/issuers/${issuer.tenant.slug}/token`, {
        form,
        headers,
      })
      return status
    }),
  )
  assert.deepEqual(statuses.filter((one) => one === 200).length, 1, String(statuses))
  assert.ok(statuses.every((one) => one === 200 || one === 400 || one === 429))
})

test('[VCI-T2] a tenant may require clients: anonymous and public ones are refused, attested ones are not', async () => {
  const tenant = await aTenantThatRequiresClients()
  await trustProvider(issuer, tenant)
  const anonymous = await tokenWith({}, {}, tenant)
  assert.deepEqual([anonymous.status, anonymous.body.error], [401, 'invalid_client'])
  const named = await tokenWith({}, { client_id: walletId }, tenant)
  assert.deepEqual([named.status, named.body.error], [401, 'invalid_client'])
  const headers = await attestationHeaders(issuer, await aChallenge(issuer), {}, tenant)
  assert.equal((await tokenWith(headers, {}, tenant)).status, 200)
})

test('[VCI-M9, VCI-M12, VCI-M13] the metadata of the server say which clients it accepts', async () => {
  const open = await metadataOf(issuer.tenant)
  const authenticated = ['private_key_jwt', 'attest_jwt_client_auth', 'attest_jwt_client_auth_dpop']
  assert.deepEqual(open.token_endpoint_auth_methods_supported, ['none', ...authenticated])
  assert.deepEqual(open.authorization_details_types_supported, ['openid_credential'])
  assert.equal(open['pre-authorized_grant_anonymous_access_supported'], true)
  assert.equal(open.challenge_endpoint, `${issuer.platform.urls.issuer(issuer.tenant.slug)}/challenge`)
  for (const what of ['', '_pop']) {
    assert.deepEqual(open[`client_attestation${what}_signing_alg_values_supported`], ['ES256', 'EdDSA', 'Ed25519'])
  }
  const strict = await metadataOf(await aTenantThatRequiresClients())
  assert.deepEqual(strict.token_endpoint_auth_methods_supported, authenticated)
  assert.equal(strict['pre-authorized_grant_anonymous_access_supported'], false)
})

test('a client of the tenant authenticates by private_key_jwt; a sent assertion is always checked, and no attester speaks for it', async () => {
  const key = generateKeyPair()
  const [{ tenant }, clientId] = [issuer, `client-${newId()}`]
  const client = { clientId, scopes: [], jwks: { keys: [{ ...key.publicJwk }] } }
  await applyBootstrap(issuer.platform, { tenants: [{ slug: tenant.slug, name: 'Acme College', clients: [client] }] })
  const iat = seconds()
  const assertion = (by = key.privateKey, aud = issuer.platform.urls.issuer(tenant.slug)) =>
    new SignJWT({ iss: clientId, sub: clientId, aud, jti: newId(), iat, exp: iat + 60 })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(by)
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  const asked = async (client_assertion: string) => tokenWith({}, { client_assertion, client_assertion_type: type })
  const once = await assertion()
  assert.equal((await asked(once)).status, 200)
  for (const bad of [
    once,
    await assertion(stranger.privateKey),
    await assertion(key.privateKey, 'https://other.example'),
  ]) {
    const { status, body } = await asked(bad)
    assert.deepEqual([status, body.error], [401, 'invalid_client'])
  }
  const change = { claims: { sub: clientId }, popClaims: { iss: clientId } }
  const attested = await attestationHeaders(issuer, await aChallenge(issuer), change)
  assert.equal((await tokenWith(attested)).body.error, 'invalid_client_attestation')
  const both = await tokenWith(await attestationHeaders(issuer, await aChallenge(issuer)), {
    client_assertion: once,
    client_assertion_type: type,
  })
  assert.deepEqual([both.status, both.body.error], [400, 'invalid_request'])
})

test('the secret of a client is no authentication here: the metadata do not offer it', async () => {
  const { status, body } = await tokenWith({ authorization: `Basic ${btoa('a:b')}` })
  assert.deepEqual([status, body.error], [401, 'invalid_client'])
})

/** A DPoP proof by jose, with the challenge as nonce. */
function dpopProof(by: KeyPair, nonce: string, htu: string): Promise<string> {
  return new SignJWT({ htm: 'POST', htu, iat: seconds(), jti: newId(), nonce })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: { ...by.publicJwk } })
    .sign(by.privateKey)
}

test('draft 10, 8.3: a DPoP proof of the attested key is the proof of possession, one of another key is not', async () => {
  const { platform, tenant } = issuer
  const known = await getTenant(platform, tenant.slug)
  const server = { ...issuerInstance(platform, known), acceptsDpop: true }
  const challenge = await aChallenge(issuer)
  const { 'oauth-client-attestation': attestation } = await attestationHeaders(issuer, challenge)
  const asked = async (by: KeyPair) => {
    const { code } = await anOffer(issuer)
    const dpop = await dpopProof(by, challenge, server.endpoints.token)
    const headers = { 'oauth-client-attestation': attestation, dpop }
    const form = { grant_type: grant, 'pre-authorized_code': code }
    return answerTokenRequest({ platform, instance: server, form, headers, ip: '192.0.2.1', requestId: 'r' })
  }
  assert.equal((await asked(instance)).status, 200)
  await assert.rejects(asked(stranger), { code: 'client_attestation.invalid' })
})

test('[VCI-A8] a pushed request is authenticated by an attestation, and refused with a false one', async () => {
  const { platform, tenant } = issuer
  const clientId = `app-${newId()}`
  const redirectUri = 'https://wallet.example/callback'
  const client = { clientId, scopes: [], isPublic: true, redirectUris: [redirectUri] }
  await applyBootstrap(platform, { tenants: [{ slug: tenant.slug, name: 'Acme College', clients: [client] }] })
  const server = issuerInstance(platform, await getTenant(platform, tenant.slug))
  const { template } = await anOffer(issuer)
  const asked = async (change: AttestationChange) => {
    const headers = await attestationHeaders(issuer, await aChallenge(issuer), change)
    const form = {
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: template.code,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    }
    return answerPushedRequest({
      platform,
      instance: server,
      form,
      headers,
      ip: '192.0.2.1',
      requestId: 'r',
    })
  }
  const own = { claims: { sub: clientId }, popClaims: { iss: clientId } }
  assert.equal((await asked(own)).status, 201)
  await assert.rejects(asked({ ...own, popBy: stranger.privateKey }), { code: 'client_attestation.invalid' })
})
