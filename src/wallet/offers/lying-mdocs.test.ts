import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { aDraft } from '../../../test/support/mdoc.ts'
import { readPublicJwk } from '../../crypto/jwk.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { issueMdoc } from '../../protocols/mdoc/issue-mdoc.ts'
import { emptyStatusList, setStatus } from '../../protocols/status-list/packed-list.ts'
import { buildStatusListCwt, STATUS_LIST_CWT_MEDIA_TYPE } from '../../protocols/status-list/status-list-cwt.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Lies, type Reply } from '../test-support/foreign-issuer.ts'
import { foreignLeaf, foreignRoot, foreignRootDer, type MdocAsk } from '../test-support/foreign-mdoc.ts'
import { provedKey } from '../test-support/foreign-signer.ts'
import { type Lie, says, sends, stranger, testLies } from '../test-support/lies.ts'
import { anMdocHolder } from '../test-support/mdoc-holder.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const draft = (change: (ask: MdocAsk) => object) => ({ mdoc: (ask: MdocAsk) => ({ ...ask, ...change(ask) }) })
const moved = (from: number, until: number) =>
  draft(({ validityInfo: { signed } }) => ({
    validityInfo: {
      signed: new Date(signed.getTime() - 10 * 86_400_000),
      validFrom: new Date(signed.getTime() + from * 86_400_000),
      validUntil: new Date(signed.getTime() + until * 86_400_000),
    },
  }))
/** Changes one byte, counted from a text that stands in the mdoc. */
const flipped = (near: string | Buffer, offset = 0) => ({
  raw: (raw: string) => {
    const bytes = Buffer.from(raw, 'base64url')
    const at = bytes.indexOf(near) + offset
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes.toString('base64url')
  },
})
const licenceOnly = { offers: ['licence'] } as const
const invalid = (what: string, lies: Lie[2], finding: string, more: Lie[3] = {}): Lie => [
  what,
  'credential.invalid',
  lies,
  { ...licenceOnly, ...more, finding },
]
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
const body = (change: (raw: string) => unknown) => (reply: Reply) =>
  says({ credentials: [{ credential: change(Object(reply.body).credentials[0].credential) }] })(reply)

testLies(
  [
    invalid(
      'that binds its mdoc to another key [W-R3]',
      draft(() => ({ deviceKey: otherKey })),
      'device_key.unexpected',
    ),
    invalid(
      'that binds two copies to one key [W-R3]',
      { mdoc: (ask, copy) => (copy === 0 ? ask : { ...ask, deviceKey: stranger }) },
      'device_key.unexpected',
      { batchSize: 2 },
    ),
    invalid(
      'of another document type [W-R4]',
      draft(() => ({ docType: 'org.example.other' })),
      'mso.doc_type',
    ),
    invalid('whose element was changed', flipped('Jansen'), 'digest.mismatch'),
    invalid('whose security object was changed', flipped('SHA-256', 60), 'issuer_auth.signature'),
    invalid('whose mdoc has expired', moved(-5, -2), 'validity.expired'),
    invalid('whose mdoc is not valid yet', moved(2, 3), 'validity.early'),
    invalid(
      'that signed before its certificate was valid',
      draft(({ validityInfo }) => ({
        validityInfo: { ...validityInfo, signed: new Date('2019-12-31T00:00:00Z') },
      })),
      'certificate.not_yet_valid',
    ),
    invalid(
      'of another country than its certificate',
      draft(({ elements }) => ({ elements: { ...elements, issuing_country: 'BE' } })),
      'issuer.country',
    ),
    invalid(
      'that brings its root for its own certificate',
      draft(() => ({ chain: [foreignRootDer] })),
      'leaf.is_anchor',
    ),
    invalid(
      'whose copies differ',
      { mdoc: (ask, copy) => ({ ...ask, elements: { ...ask.elements, height: 178 + copy } }) },
      'batch.differs',
      { batchSize: 2 },
    ),
    invalid('that sends what is no mdoc', { raw: () => 'oWFhAQ' }, 'mdoc.malformed'),
    invalid(
      'that sends something after the mdoc',
      { raw: (raw) => Buffer.concat([Buffer.from(raw, 'base64url'), Buffer.alloc(1)]).toString('base64url') },
      'mdoc.malformed',
    ),
    invalid('that sends an SD-JWT VC for an mdoc', { reply: { credential: body(() => 'a.b.c~') } }, 'mdoc.malformed'),
  ],
  true,
  () => ({ ...bench, person: () => anMdocHolder(bench) }),
)

testLies(
  [['that wants no proof for an mdoc [MD-6]', 'offer.unusable', { reply: { issuer: withoutProof } }, licenceOnly]],
  false,
  () => ({ ...bench, person: () => anMdocHolder(bench) }),
)
test('an mdoc under an untrusted root is refused, and kept sealed until the root is trusted', async () => {
  const road = await foreignIssuer(licenceOnly)
  const thandi = await anMdocHolder(bench, { trusting: false })
  const accept = () => acceptOffer(bench.platform, thandi, { credentialOffer: road.offerUri })
  const refused = await fault(accept())
  assert.equal(refused.code, 'credential.untrusted')
  assert.partialDeepStrictEqual(refused.meta, { findings: [{ code: 'chain.no_anchor' }] })
  assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_credential'), [])
  await createTrustedEntity(bench.platform, thandi, { name: 'Road office', certificates: [foreignRoot] })
  assert.equal((await accept()).credentials.length, 1)
  await road.close()
})

function withoutProof(reply: Reply): Reply {
  const { credential_configurations_supported: known } = Object(reply.body)
  const { proof_types_supported: _, ...licence } = known.licence
  return says({ credential_configurations_supported: { licence } })(reply)
}

const leafKey = softwareKey(createPrivateKey({ key: foreignLeaf.jwk, format: 'jwk' }))
const certificate = {
  notBefore: new Date('2020-01-01T00:00:00Z'),
  notAfter: new Date('2049-12-31T00:00:00Z'),
  countryName: 'NL',
  stateOrProvinceName: null,
}

/** An mdoc that names an entry of a status list in CBOR, which says `value` of it. */
async function listed(road: ForeignIssuer, value: number): Promise<Lies> {
  const uri = `${road.issuer}/list`
  const signed = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000)
  const validityInfo = { signed, validFrom: signed, validUntil: new Date(signed.getTime() + 86_400_000) }
  const credential = async (reply: Reply, call: { body: string }) => {
    const deviceKey = readPublicJwk(provedKey(JSON.parse(call.body).proofs.jwt[0], road.issuer))
    const draft = aDraft({ deviceKey, validityInfo, status: { status_list: { idx: 5, uri } } })
    const mdoc = await issueMdoc(draft, { key: leafKey, x5chain: [foreignLeaf.der], certificate })
    return says({ credentials: [{ credential: mdoc.toString('base64url') }] })(reply)
  }
  const list = emptyStatusList(1, 64)
  setStatus(list, 5, value)
  const header = { x5chain: [foreignLeaf.der] }
  const token = await buildStatusListCwt(
    { uri, list, ttlSeconds: 60, lifetimeSeconds: 600, header },
    leafKey,
    new Date(),
  )
  return { reply: { credential, list: sends({ type: STATUS_LIST_CWT_MEDIA_TYPE, body: token, status: 200 }) } }
}

for (const [what, value, code] of [
  ['stands', 0, null],
  ['was revoked', 1, 'credential.invalid'],
] as const) {
  test(`an mdoc that ${what} by its status list in CBOR is ${code === null ? 'taken' : 'refused'}`, async () => {
    const road = await foreignIssuer({ offers: ['licence'] })
    try {
      road.lie(await listed(road, value))
      const thandi = await anMdocHolder(bench)
      const accepted = acceptOffer(bench.platform, thandi, { credentialOffer: road.offerUri })
      if (code === null) assert.equal((await accepted).credentials.length, 1)
      else {
        const { code: found, meta } = await fault(accepted)
        assert.partialDeepStrictEqual(
          { found, meta },
          { found: code, meta: { findings: [{ code: 'status.revoked' }] } },
        )
      }
      assert.ok(road.calls.some(({ place }) => place === 'list'))
    } finally {
      await road.close()
    }
  })
}
