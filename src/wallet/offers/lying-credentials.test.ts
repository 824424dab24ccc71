import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { foreignIssuer, type Lies } from '../test-support/foreign-issuer.ts'
import {
  describes,
  disclosed,
  huge,
  type Lie,
  says,
  sends,
  someCertificate,
  stranger,
  testLies,
} from '../test-support/lies.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const strangerDid = `did:jwk:${Buffer.from(JSON.stringify(stranger)).toString('base64url')}`
/** 64 MiB of zeros. */
const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024)).toString('base64url')

/** Gives every copy the key of the first. */
function sameKey(): NonNullable<Lies['payload']> {
  let first: unknown
  return (payload) => {
    first ??= payload.cnf
    return { ...payload, cnf: first }
  }
}

/** After the code was spent: what the issuer sends does not hold. */
const rows: readonly Lie[] = [
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
    'that signs as another issuer',
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
    'that steers us to a certificate instead of its DID [VC-20]',
    'credential.invalid',
    { header: (header) => ({ ...header, x5c: [someCertificate] }) },
    { finding: 'issuer.name' },
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
    'that states a status of an unknown type',
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

/** What the status list says, and lists that say nothing, at the moment of receipt (7.5). */
const listed: readonly Lie[] = [
  [
    'that sends a revoked credential (7.5, step 6)',
    'credential.invalid',
    { listed: { status: 1 } },
    { finding: 'status.revoked' },
  ],
  [
    'that sends a suspended credential (7.5, step 6)',
    'credential.invalid',
    { listed: { status: 2 } },
    { finding: 'status.suspended' },
  ],
  [
    'that sends a credential of an unknown status (7.5, step 6)',
    'credential.invalid',
    { listed: { status: 3 } },
    { finding: 'status.other' },
  ],
  [
    'whose status list has no such entry (7.5, step 5)',
    'credential.invalid',
    { listed: { idx: 64 } },
    { finding: 'status.out_of_range' },
  ],
  [
    'whose status list is signed by another (7.5, step 4)',
    'credential.invalid',
    { listed: { byStranger: true } },
    { finding: 'status.untrusted' },
  ],
  [
    'whose status list names the key of another DID (7.5, step 4)',
    'credential.invalid',
    { listed: { header: (head) => ({ ...head, kid: `${strangerDid}#0` }) } },
    { finding: 'status.untrusted' },
  ],
  [
    'whose status list brings a certificate [VC-20]',
    'credential.invalid',
    { listed: { header: (head) => ({ ...head, x5c: ['AAAA'] }) } },
    { finding: 'status.untrusted' },
  ],
  [
    'whose status list is a JWT of another type [SEC-21]',
    'credential.invalid',
    { listed: { header: (head) => ({ ...head, typ: 'JWT' }) } },
    { finding: 'status.invalid' },
  ],
  [
    'whose status list is about another address (7.5, step 4)',
    'credential.invalid',
    { listed: { payload: (payload) => ({ ...payload, sub: `${payload.sub}/` }) } },
    { finding: 'status.invalid' },
  ],
  [
    'whose status list has expired (7.5, step 4)',
    'credential.invalid',
    { listed: { payload: (payload) => ({ ...payload, exp: Number(payload.iat) - 100 }) } },
    { finding: 'status.invalid' },
  ],
  [
    'whose status list is from the future (7.5, step 4)',
    'credential.invalid',
    { listed: { payload: (payload) => ({ ...payload, iat: Number(payload.iat) + 900 }) } },
    { finding: 'status.invalid' },
  ],
  [
    'whose status list inflates without end [SEC-40]',
    'credential.invalid',
    { listed: { payload: (payload) => ({ ...payload, status_list: { bits: 1, lst: bomb } }) } },
    { finding: 'status.invalid' },
  ],
  [
    'whose status list is too large [9.2]',
    'credential.invalid',
    { listed: {}, reply: { list: sends({ body: huge }) } },
    { finding: 'status.invalid' },
  ],
  [
    'whose status list is gone (7.5, step 7)',
    'credential.invalid',
    { listed: {}, reply: { list: sends({ status: 404 }) } },
    { finding: 'status.missing' },
  ],
  [
    'whose status list is JSON',
    'credential.invalid',
    { listed: {}, reply: { list: sends({ type: 'application/json' }) } },
    { finding: 'status.invalid' },
  ],
]

testLies([...rows, ...listed], true, () => bench)

test('a credential with a valid status is accepted, and its list is fetched once for all copies', async () => {
  const issuer = await foreignIssuer({ batchSize: 4 })
  issuer.lie({ listed: { status: 0 } })
  const { credentials } = await acceptOffer(bench.platform, await bench.person(), { credentialOffer: issuer.offerUri })
  await issuer.close()
  assert.equal(credentials[0]?.claims.status, undefined)
  assert.equal(issuer.calls.filter(({ place }) => place === 'list').length, 1)
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
