import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { FaultCode } from '../fault.ts'
import { acceptOffer } from './accept-offer.ts'
import { fault } from './test-support/fault.ts'
import {
  type ForeignIssuer,
  foreignIssuer,
  type Lies,
  type Options,
  type Reply,
} from './test-support/foreign-issuer.ts'
import { type Bench, openBench } from './test-support/wallet-platform.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

/** Changes members of a JSON answer. */
const says = (change: object) => (reply: Reply) => ({ ...reply, body: { ...Object(reply.body), ...change } })
const sends = (change: Partial<Reply>) => (reply: Reply) => ({ ...reply, ...change })
/** Changes members of the one credential configuration. */
const describes = (change: object) => (reply: Reply) => {
  const { credential_configurations_supported: known } = Object(reply.body)
  return says({ credential_configurations_supported: { membership: { ...known.membership, ...change } } })(reply)
}
const stranger = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}
const huge = 'x'.repeat(9 * 1024 * 1024)
const elsewhere = { status: 302, type: '', body: '', headers: { location: 'http://127.0.0.1:9/' } }
const disclosed = (value: unknown[]) => Buffer.from(JSON.stringify(value)).toString('base64url')

type Row = readonly [
  what: string,
  code: FaultCode,
  lies: Lies,
  more?: Options & { change?: Record<string, unknown>; finding?: string },
]

/** Before the code is spent: the offer stays good. */
const beforehand: readonly Row[] = [
  [
    'whose metadata names another issuer [W-M2]',
    'issuer_metadata.invalid',
    { reply: { issuer: says({ credential_issuer: 'http://127.0.0.1:1/club/a' }) } },
  ],
  [
    'whose metadata adds a slash to its name [W-M2]',
    'issuer_metadata.invalid',
    { reply: { issuer: (reply) => says({ credential_issuer: `${Object(reply.body).credential_issuer}/` })(reply) } },
  ],
  [
    'that offers a configuration which it does not describe [W-M4]',
    'issuer_metadata.invalid',
    {},
    { change: { credential_configuration_ids: ['other'] } },
  ],
  [
    'that offers one credential twice [W-O4]',
    'offer.malformed',
    {},
    { change: { credential_configuration_ids: ['membership', 'membership'] } },
  ],
  [
    'that offers only a format that is closed here',
    'offer.format',
    {},
    { change: { credential_configuration_ids: ['licence'] } },
  ],
  ['whose offer has no grant that we know [W-O4]', 'offer.malformed', {}, { change: { grants: { magic: {} } } }],
  [
    'whose offer wants the holder to sign in',
    'offer.authorization_required',
    {},
    { change: { grants: { authorization_code: {} } } },
  ],
  [
    'whose offer names an authorization server that it does not list [W-M5]',
    'issuer_metadata.invalid',
    { reply: { issuer: says({ authorization_servers: ['http://127.0.0.1:1/sso'] }) } },
  ],
  [
    'whose authorization server says that it is another [W-M6]',
    'issuer_metadata.invalid',
    { reply: { server: says({ issuer: 'http://127.0.0.1:1/sso' }) } },
  ],
  [
    'whose token endpoint is no https URL [W-M6]',
    'issuer_metadata.invalid',
    { reply: { server: says({ token_endpoint: 'http://issuer.example/t' }) } },
  ],
  ['whose metadata is HTML', 'upstream.media_type', { reply: { issuer: sends({ type: 'text/html' }) } }],
  [
    'whose metadata is no JSON',
    'issuer_metadata.invalid',
    { reply: { issuer: sends({ body: '{"credential_issuer":' }) } },
  ],
  [
    'whose metadata has a member twice [SEC-24]',
    'issuer_metadata.invalid',
    { reply: { issuer: sends({ body: '{"a":1,"a":2}' }) } },
  ],
  ['whose metadata is too large', 'upstream.too_large', { reply: { issuer: sends({ body: huge }) } }],
  ['whose metadata is elsewhere [W-O2]', 'issuer_metadata.invalid', { reply: { issuer: sends(elsewhere) } }],
  ['whose offer is elsewhere [W-O2]', 'offer.unusable', { reply: { offer: sends(elsewhere) } }],
  ['whose offer is gone', 'offer.unusable', { reply: { offer: sends({ status: 410, type: 'text/plain', body: '' }) } }],
  ['that fails', 'upstream.answer', { reply: { issuer: sends({ status: 503 }) } }],
  [
    'that demands encryption [W-C5]',
    'offer.unusable',
    { reply: { issuer: says({ credential_request_encryption: { encryption_required: true } }) } },
  ],
  [
    'that wants a proof by an algorithm which we do not have [W-C2]',
    'offer.unusable',
    {
      reply: {
        issuer: describes({ proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES384'] } } }),
      },
    },
  ],
  [
    'that wants a proof of a type which we do not make [W-C2]',
    'offer.unusable',
    {
      reply: {
        issuer: describes({
          proof_types_supported: { attestation: { proof_signing_alg_values_supported: ['ES256'] } },
        }),
      },
    },
  ],
]

/** After the code was spent: whatever came is thrown away. */
const afterwards: readonly Row[] = [
  [
    'that refuses the code',
    'offer.unusable',
    { reply: { token: sends({ status: 400, body: { error: 'invalid_grant' } }) } },
  ],
  [
    'whose token is of a type that was not asked for',
    'issuer_answer.invalid',
    { reply: { token: says({ token_type: 'mac' }) } },
  ],
  ['whose token endpoint redirects', 'offer.unusable', { reply: { token: sends(elsewhere) } }],
  [
    'whose token answer is no JSON by its type',
    'upstream.media_type',
    { reply: { token: sends({ type: 'text/plain' }) } },
  ],
  [
    'whose token answer has no token',
    'issuer_answer.invalid',
    { reply: { token: sends({ body: { token_type: 'bearer' } }) } },
  ],
  [
    'whose token is for another credential',
    'issuer_answer.invalid',
    {
      reply: {
        token: says({
          authorization_details: [
            { type: 'openid_credential', credential_configuration_id: 'other', credential_identifiers: ['x'] },
          ],
        }),
      },
    },
  ],
  ['that gives no nonce', 'issuer_answer.invalid', { reply: { nonce: sends({ body: {} }) } }],
  [
    'that never takes a nonce',
    'offer.unusable',
    { reply: { credential: sends({ status: 400, body: { error: 'invalid_nonce' } }) } },
  ],
  [
    'that sends more credentials than keys were proved [W-R1]',
    'issuer_answer.invalid',
    {
      reply: {
        credential: (reply) =>
          says({ credentials: [...Object(reply.body).credentials, ...Object(reply.body).credentials] })(reply),
      },
    },
  ],
  [
    'that sends no credentials [W-R1]',
    'issuer_answer.invalid',
    { reply: { credential: sends({ body: { credentials: [] } }) } },
  ],
  [
    'that sends credentials and a transaction id [W-R1]',
    'issuer_answer.invalid',
    { reply: { credential: says({ transaction_id: 't', interval: 5 }) } },
  ],
  [
    'that sends an object as credential',
    'issuer_answer.invalid',
    { reply: { credential: says({ credentials: [{ credential: {} }] }) } },
  ],
  ['that sends too much', 'upstream.too_large', { reply: { credential: sends({ body: huge }) } }],
  [
    'that sends credentials as JWT',
    'upstream.media_type',
    { reply: { credential: sends({ type: 'application/jwt' }) } },
  ],
  ['whose credential endpoint redirects', 'offer.unusable', { reply: { credential: sends(elsewhere) } }],
  [
    'that binds the credential to the key of a stranger [W-R3]',
    'credential.invalid',
    { payload: (payload) => ({ ...payload, cnf: { jwk: stranger } }) },
    { finding: 'cnf.unexpected' },
  ],
  [
    'that binds the credential to no key [W-R3]',
    'credential.invalid',
    { payload: ({ cnf: _, ...payload }) => payload },
    { finding: 'cnf.unexpected' },
  ],
  [
    'that sends a private key in cnf [SEC-30]',
    'credential.invalid',
    { payload: (payload) => ({ ...payload, cnf: { jwk: { ...stranger, d: stranger.x } } }) },
    { finding: 'cnf.malformed' },
  ],
  [
    'that sends another type than it offered [W-R4]',
    'credential.invalid',
    { payload: (payload) => ({ ...payload, vct: 'https://types.example/other' }) },
    { finding: 'vct.unexpected' },
  ],
  [
    'that sends an expired credential',
    'credential.invalid',
    { payload: (payload) => ({ ...payload, exp: 1_600_000_000 }) },
    { finding: 'validity.expired' },
  ],
  [
    'that sends a credential of tomorrow',
    'credential.invalid',
    { payload: (payload) => ({ ...payload, nbf: Number(payload.iat) + 86_400 }) },
    { finding: 'validity.early' },
  ],
  [
    'that signs as somebody else',
    'credential.invalid',
    {
      payload: (payload) => ({
        ...payload,
        iss: `did:jwk:${disclosed([]).slice(0, 0)}${Buffer.from(JSON.stringify(stranger)).toString('base64url')}`,
      }),
      header: () => ({}),
    },
    { finding: 'jwt.signature' },
  ],
  [
    'that names a key of another DID',
    'credential.invalid',
    { header: () => ({ kid: `did:jwk:${Buffer.from(JSON.stringify(stranger)).toString('base64url')}#0` }) },
    { finding: 'issuer.undiscoverable' },
  ],
  [
    'that names no issuer [VC-21]',
    'credential.invalid',
    { payload: ({ iss: _, ...payload }) => payload },
    { finding: 'issuer.undiscoverable' },
  ],
  [
    'whose key metadata is about another issuer',
    'credential.invalid',
    { reply: { keys: says({ issuer: 'http://127.0.0.1:1/club/a' }) } },
    { identity: 'jwt-vc-issuer', finding: 'issuer.undiscoverable' },
  ],
  [
    'whose key is not in its metadata',
    'credential.invalid',
    { header: () => ({ kid: 'k2' }) },
    { identity: 'jwt-vc-issuer', finding: 'issuer.undiscoverable' },
  ],
  [
    'that sends a JWT of another type [SEC-21]',
    'credential.invalid',
    { header: (header) => ({ ...header, typ: 'JWT' }) },
    { finding: 'jwt.type' },
  ],
  [
    'that demands an unknown header extension',
    'credential.invalid',
    { header: (header) => ({ ...header, crit: ['x'], x: 1 }) },
    { finding: 'jwt.critical' },
  ],
  [
    'that changes a disclosure',
    'credential.invalid',
    { raw: (raw) => raw.replace(/~[^~]+~$/, `~${disclosed(['c2FsdA', 'given_name', 'Mallory'])}~`) },
    { finding: 'disclosure.unreferenced' },
  ],
  [
    'that adds a disclosure [W-R2]',
    'credential.invalid',
    { raw: (raw) => `${raw}${disclosed(['c2FsdA', 'admin', true])}~` },
    { finding: 'disclosure.unreferenced' },
  ],
  [
    'that sends a disclosure twice',
    'credential.invalid',
    { raw: (raw) => `${raw}${raw.split('~')[1]}~` },
    { finding: 'disclosure.duplicate' },
  ],
  [
    'that adds a key binding [SD-20]',
    'credential.invalid',
    { raw: (raw) => `${raw}a.b.c` },
    { finding: 'kb.unexpected' },
  ],
  [
    'that leaves out the last tilde [SD-1]',
    'credential.invalid',
    { raw: (raw) => raw.split('~')[0] ?? '' },
    { finding: 'sd_jwt.malformed' },
  ],
  [
    'that breaks its signature',
    'credential.invalid',
    {
      raw: (raw) =>
        raw.replace(/\.([^.~]{4})([^.~]*)~/, (_all, start, rest) => `.${start === 'AAAA' ? 'BBBB' : 'AAAA'}${rest}~`),
    },
    { finding: 'jwt.signature' },
  ],
  [
    'that states a status which nobody understands',
    'credential.invalid',
    { payload: (payload) => ({ ...payload, status: { magic: true } }) },
  ],
  [
    'whose type is longer than a wallet can show',
    'credential.invalid',
    {
      reply: { issuer: describes({ vct: `https://types.example/${'x'.repeat(300)}` }) },
      payload: (payload) => ({ ...payload, vct: `https://types.example/${'x'.repeat(300)}` }),
    },
    { finding: 'claim.too_long' },
  ],
  [
    'that sends one bad copy in a batch [W-R7]',
    'credential.invalid',
    { raw: (raw, copy) => (copy === 1 ? `${raw}${disclosed(['c2FsdA', 'admin', true])}~` : raw) },
    { batchSize: 3, finding: 'disclosure.unreferenced' },
  ],
  [
    'that binds two copies to one key [W-R3]',
    'credential.invalid',
    { payload: sameKey() },
    { batchSize: 3, finding: 'cnf.unexpected' },
  ],
  [
    'whose copies say different things',
    'credential.invalid',
    { payload: (payload, copy) => ({ ...payload, given_name: `Zoë ${copy}` }) },
    { batchSize: 3, finding: 'batch.differs' },
  ],
]

for (const [rows, spends] of [
  [beforehand, false],
  [afterwards, true],
] as const) {
  for (const [what, code, lies, { change, finding, ...options } = {}] of rows) {
    test(`an issuer ${what} is refused with ${code}, and nothing is kept`, async () => {
      const issuer = await foreignIssuer(options)
      try {
        issuer.lie(lies)
        await refusedBy(issuer, { code, change, finding, spends })
      } finally {
        await issuer.close()
      }
    })
  }
}

type Expected = {
  code: FaultCode
  change: Record<string, unknown> | undefined
  finding: string | undefined
  spends: boolean
}

async function refusedBy(issuer: ForeignIssuer, { code, change, finding, spends }: Expected): Promise<void> {
  const thandi = await bench.person()
  const credentialOffer = change === undefined ? issuer.offerUri : JSON.stringify(issuer.offer(change))
  const refused = await fault(acceptOffer(bench.platform, thandi, { credentialOffer }))
  assert.equal(refused.code, code, `${refused.detail} ${JSON.stringify(refused.meta)}`)
  const findings = (refused.meta?.findings ?? []) as { code: string }[]
  if (finding !== undefined)
    assert.ok(
      findings.some((one) => one.code === finding),
      JSON.stringify(findings),
    )
  const places = issuer.calls.map(({ place }) => place)
  assert.equal(places.includes('token'), spends)
  for (const table of ['wallet_credential', 'wallet_credential_copy', 'wallet_notification', 'job', 'audit_entry']) {
    assert.deepEqual(await bench.rows(thandi.tenantId, table), [], table)
  }
  if (code !== 'credential.invalid') return
  // [W-R9] the issuer hears that its credential was not taken
  const [news] = issuer.calls.filter(({ place }) => place === 'notification')
  assert.deepEqual(JSON.parse(news?.body ?? ''), { notification_id: 'news-1', event: 'credential_failure' })
}

/** Gives every copy the key of the first. */
function sameKey(): NonNullable<Lies['payload']> {
  let first: unknown
  return (payload) => {
    first ??= payload.cnf
    return { ...payload, cnf: first }
  }
}

test('an issuer out of reach is told apart from one that lies', async () => {
  const issuer = await foreignIssuer()
  await issuer.close()
  const refused = await fault(acceptOffer(bench.platform, await bench.person(), { credentialOffer: issuer.offerUri }))
  assert.equal(refused.code, 'upstream.unreachable')
})

test('the stored credential is the one received, byte for byte [W-R10]', async () => {
  const issuer = await foreignIssuer()
  const sent: string[] = []
  issuer.lie({ raw: (raw) => sent[sent.push(raw) - 1] ?? raw })
  const thandi = await bench.person()
  await acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
  await issuer.close()
  const [copy] = await bench.rows(thandi.tenantId, 'wallet_credential_copy')
  const place = {
    tenantId: thandi.tenantId,
    table: 'wallet_credential_copy',
    column: 'sealed_raw',
    row: String(copy?.id),
  }
  const opened = await bench.platform.sealing.open(place, copy?.sealed_raw as Buffer)
  const digest = (value: string | Buffer) => createHash('sha256').update(value).digest('hex')
  assert.equal(digest(opened), digest(sent[0] ?? ''))
})
