import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { acceptOffer } from './accept-offer.ts'
import { foreignIssuer, type Lies } from './test-support/foreign-issuer.ts'
import { describes, disclosed, type Lie, says, stranger, testLies } from './test-support/lies.ts'
import { type Bench, openBench } from './test-support/wallet-platform.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

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

testLies(rows, true, () => bench)

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
