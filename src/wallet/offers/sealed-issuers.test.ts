import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, before, test } from 'node:test'
import { compactVerify, decodeProtectedHeader } from 'jose'
import type { Caller } from '../../caller.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import type { FaultCode } from '../../fault.ts'
import { newId } from '../../store/row-id.ts'
import { createSession } from '../issuance-sessions/create-session.ts'
import { publishProviderRoot } from '../issuer-access/wallet-provider.ts'
import type { CodeOptions } from '../test-support/code-server.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Lies } from '../test-support/foreign-issuer.ts'
import { describes, says } from '../test-support/lies.ts'
import { setTenant } from '../test-support/mdoc-holder.ts'
import { sealedMessages } from '../test-support/sealed-messages.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'
import { fetchDeferredJob } from './fetch-deferred.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

for (const [what, zips, identity, offers] of [
  ['an SD-JWT VC', false, 'jwt-vc-issuer', ['membership']],
  ['an SD-JWT VC, compressed', true, 'did:jwk', ['membership']],
] as const) {
  test(`${what} is received by encrypted messages, in a batch and deferred [W-C5]`, async () => {
    const sealed = await sealedMessages(zips)
    const issuer = await foreignIssuer({ identity, offers, sealed, batchSize: 3 })
    try {
      const thandi = await bench.person()
      const got = await acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
      assert.equal(got.credentials.length, 1)
      assert.equal((await bench.rows(thandi.tenantId, 'wallet_credential_copy')).length, 3)
      const [call] = issuer.calls.filter(({ place }) => place === 'credential')
      assert.equal(call?.headers['content-type'], 'application/jwt')
    } finally {
      await issuer.close()
    }
  })
}

test('a deferred credential is polled by encrypted messages too, with another key for the response [W-C5]', async () => {
  const sealed = await sealedMessages(true)
  const issuer = await foreignIssuer({ sealed })
  try {
    const thandi = await bench.person()
    const wishes: string[] = []
    const watched = async (reply: { status: number }, body: string) => {
      wishes.push(JSON.stringify((await sealed.open(body)).credential_response_encryption))
      return reply
    }
    issuer.lie({
      reply: {
        credential: async (reply, { body }) => {
          await watched(reply, body)
          const wish = (await sealed.open(body)).credential_response_encryption
          return { ...reply, status: 202, body: await sealed.seal({ transaction_id: 'tx-1', interval: 5 }, wish) }
        },
        deferred: async (reply, { body }) => {
          await watched(reply, body)
          return reply
        },
      },
    })
    const { deferred } = await acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
    assert.equal(deferred.length, 1)
    const [row] = await bench.rows(thandi.tenantId, 'wallet_deferred')
    const run = { tenantId: thandi.tenantId, attempt: 1 } as never
    await fetchDeferredJob.run(bench.platform, { deferredId: String(row?.id) }, new AbortController().signal, run)
    assert.equal((await bench.rows(thandi.tenantId, 'wallet_credential')).length, 1)
    assert.equal(new Set(wishes).size, 2)
  } finally {
    await issuer.close()
  }
})

test('the algorithm of a response stands in the key and, for issuers of drafts, beside it [W-C5]', async () => {
  const sealed = await sealedMessages(false)
  const issuer = await foreignIssuer({ sealed })
  try {
    const wishes: Record<string, unknown>[] = []
    issuer.lie({
      reply: {
        credential: async (reply, { body }) => {
          wishes.push(Object((await sealed.open(body)).credential_response_encryption))
          return reply
        },
      },
    })
    await acceptOffer(bench.platform, await bench.person(), { credentialOffer: issuer.offerUri })
    const [wish] = wishes
    assert.partialDeepStrictEqual(wish, { alg: 'ECDH-ES', enc: 'A256GCM', jwk: { alg: 'ECDH-ES' } })
  } finally {
    await issuer.close()
  }
})

for (const isRequired of [false, true]) {
  const outcome = isRequired ? 'is refused' : 'is asked once more in the clear'
  const does = isRequired ? 'demands' : 'offers'
  test(`an issuer that ${does} encryption and cannot use our parameters ${outcome} [W-C5]`, async () => {
    const issuer = await foreignIssuer({ sealed: await sealedMessages(false, isRequired) })
    try {
      const error = { error: 'invalid_encryption_parameters' }
      issuer.lie({
        reply: {
          credential: (reply, { headers }) =>
            headers['content-type'] === 'application/jwt'
              ? { status: 400, type: 'application/json', body: error }
              : reply,
        },
      })
      const thandi = await bench.person()
      const asked = acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
      if (isRequired) assert.equal((await fault(asked)).code, 'offer.unusable')
      else assert.equal((await asked).credentials.length, 1)
      const types = issuer.calls.filter(({ place }) => place === 'credential').map((one) => one.headers['content-type'])
      assert.deepEqual(types, isRequired ? ['application/jwt'] : ['application/jwt', 'application/json'])
    } finally {
      await issuer.close()
    }
  })
}

const stranger = generateKeyPair().publicJwk
const bomb = Buffer.alloc(30 * 1024 * 1024, ' ').toString()
/** Lies about encryption, the code that they are refused with, and how often the token was requested. */
const lies: readonly (readonly [
  string,
  FaultCode,
  number,
  (sealed: Awaited<ReturnType<typeof sealedMessages>>) => Lies,
])[] = [
  [
    'answers in plain',
    'issuer_answer.invalid',
    1,
    () => ({ reply: { credential: (reply) => ({ ...reply, type: 'application/json', body: { credentials: [] } }) } }),
  ],
  [
    'encrypts to another key',
    'issuer_answer.invalid',
    1,
    (sealed) => ({
      reply: {
        credential: async (reply, { body }) => {
          const wish = (await sealed.open(body)).credential_response_encryption
          return { ...reply, body: await sealed.seal({ credentials: [{ credential: 'x' }] }, wish, stranger) }
        },
      },
    }),
  ],
  [
    'sends a response of 30 MB once it is inflated',
    'issuer_answer.invalid',
    1,
    (sealed) => ({
      reply: {
        credential: async (reply, { body }) => {
          const wish = (await sealed.open(body)).credential_response_encryption
          return { ...reply, body: await sealed.seal({ bomb }, wish) }
        },
      },
    }),
  ],
  [
    'requires encryption to a kind of key that we do not have',
    'offer.unusable',
    0,
    () => ({
      reply: {
        issuer: says({
          credential_request_encryption: {
            jwks: { keys: [] },
            enc_values_supported: ['A256GCM'],
            encryption_required: true,
          },
        }),
      },
    }),
  ],
  [
    'requires encrypted responses by an algorithm that we do not have',
    'offer.unusable',
    0,
    () => ({
      reply: {
        issuer: says({
          credential_response_encryption: {
            alg_values_supported: ['RSA-OAEP-256'],
            enc_values_supported: ['A256GCM'],
            encryption_required: true,
          },
        }),
      },
    }),
  ],
]
for (const [what, code, tokens, lie] of lies) {
  test(`an issuer that ${what} is refused with ${code}, and nothing is kept [W-C5]`, async () => {
    const sealed = await sealedMessages(true)
    const issuer = await foreignIssuer({ sealed })
    try {
      issuer.lie(lie(sealed))
      const thandi = await bench.person()
      const refused = await fault(acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri }))
      assert.equal(refused.code, code)
      assert.equal(issuer.calls.filter(({ place }) => place === 'token').length, tokens)
      for (const table of ['wallet_credential', 'wallet_deferred'])
        assert.deepEqual(await bench.rows(thandi.tenantId, table), [])
    } finally {
      await issuer.close()
    }
  })
}

/**
 * Verifies a key attestation by `jose` and `node:crypto` under the published root of the wallet provider, and returns
 * its claims.
 */
async function attestationOf(text: string): Promise<Record<string, unknown>> {
  const { kid, typ, x5c = [] } = decodeProtectedHeader(text)
  assert.deepEqual([kid, typ, x5c.length], [undefined, 'key-attestation+jwt', 1])
  const root = new X509Certificate(await publishProviderRoot(bench.platform))
  const leaf = new X509Certificate(Buffer.from(x5c[0] ?? '', 'base64'))
  assert.ok(leaf.checkIssued(root) && leaf.verify(root.publicKey) && leaf.subject !== leaf.issuer)
  const { payload } = await compactVerify(text, leaf.publicKey)
  return JSON.parse(Buffer.from(payload).toString())
}

for (const [type, levels] of [
  ['jwt', { key_storage: ['iso_18045_basic', 'iso_18045_high'] }],
  ['jwt', {}],
  ['attestation', {}],
] as const) {
  test(`one attestation covers all keys of a batch, in a proof of type ${type} for ${JSON.stringify(levels)} [HAIP-9]`, async () => {
    const seen: Record<string, unknown>[] = []
    const issuer = await foreignIssuer({
      batchSize: 4,
      keysOf: async ({ jwt = [], attestation = [] }) => {
        const [proof = '', ...others] = type === 'jwt' ? jwt : attestation
        assert.equal(others.length, 0)
        const header = decodeProtectedHeader(proof)
        const claims = await attestationOf(type === 'jwt' ? String(header.key_attestation) : proof)
        seen.push(claims)
        const keys = claims.attested_keys as Record<string, unknown>[]
        // [VCI-K3] signed by an attested key
        if (type === 'jwt') assert.deepEqual({ ...header.jwk }, keys[0])
        return keys
      },
    })
    try {
      const demand = { proof_signing_alg_values_supported: ['ES256'], key_attestations_required: levels }
      issuer.lie({ reply: { issuer: describes({ proof_types_supported: { [type]: demand } }) } })
      const thandi = await bench.person()
      await acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
      assert.equal((await bench.rows(thandi.tenantId, 'wallet_credential_copy')).length, 4)
      assert.equal(typeof seen[0]?.nonce, 'string')
      assert.deepEqual(seen[0]?.key_storage, ['iso_18045_basic'])
      assert.ok(Number(seen[0]?.exp) > Date.now() / 1000)
    } finally {
      await issuer.close()
    }
  })
}

test('an issuer that requires stronger keys than ours is refused before the code is spent [VCI-K5]', async () => {
  const issuer = await foreignIssuer()
  try {
    const demand = {
      proof_signing_alg_values_supported: ['ES256'],
      key_attestations_required: { key_storage: ['iso_18045_high'] },
    }
    issuer.lie({ reply: { issuer: describes({ proof_types_supported: { jwt: demand } }) } })
    const refused = await fault(acceptOffer(bench.platform, await bench.person(), { credentialOffer: issuer.offerUri }))
    assert.equal(refused.code, 'offer.unusable')
    assert.equal(
      issuer.calls.some(({ place }) => place === 'token'),
      false,
    )
  } finally {
    await issuer.close()
  }
})

/** Runs with an issuer whose holders sign in. */
async function withIssuer(code: CodeOptions, run: (issuer: ForeignIssuer) => Promise<void>): Promise<void> {
  const issuer = await foreignIssuer({ code: { ...code, provider: () => publishProviderRoot(bench.platform) } })
  try {
    await run(issuer)
  } finally {
    await issuer.close()
  }
}

const begin = (person: Caller, { offerUri }: ForeignIssuer) =>
  createSession(bench.platform, person, { credentialOffer: offerUri }, newId())

test('each session has a wallet attestation and an instance key of its own, for the one client of all users [W-I1, W-I2]', () =>
  withIssuer({ pushed: true, attested: true }, async (issuer) => {
    const people = [await bench.person(), await bench.person()]
    for (const person of [...people, people[0]]) if (person !== undefined) await begin(person, issuer)
    const sent = issuer.calls
      .filter(({ place }) => place === 'par')
      .map(({ headers }) => String(headers['oauth-client-attestation']))
    const claims = sent.map((one) => JSON.parse(Buffer.from(one.split('.')[1] ?? '', 'base64url').toString()))
    assert.deepEqual(
      claims.map(({ sub }) => sub),
      Array.from({ length: 3 }, () => bench.platform.urls.publicUrl),
    )
    assert.equal(new Set(claims.map(({ cnf }) => cnf.jwk.x)).size, 3)
  }))

test('[HAIP-8] where a server accepts public clients too, the wallets of a tenant under the profile authenticate, and others do not', () =>
  withIssuer({ pushed: true, dpop: true }, async (issuer) => {
    const methods = { token_endpoint_auth_methods_supported: ['none', 'attest_jwt_client_auth'] }
    const pushed = { status: 201, type: 'application/json', body: { request_uri: 'urn:x', expires_in: 60 } }
    issuer.lie({ reply: { server: says(methods), par: () => pushed } })
    for (const haip of [true, false]) {
      const person = await bench.person()
      await setTenant(bench, person.tenantId, { haip })
      await begin(person, issuer)
    }
    const sent = issuer.calls
      .filter(({ place }) => place === 'par')
      .map(({ headers }) => headers['oauth-client-attestation'] !== undefined)
    assert.deepEqual(sent, [true, false])
  }))
