import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import { faults } from '../../fault.ts'
import { getCredential, listHeld } from '../credentials/get-credential.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Options } from '../test-support/foreign-issuer.ts'
import { foreignDocType, foreignElements, foreignNameSpace, foreignSubject } from '../test-support/foreign-mdoc.ts'
import { foreignVct } from '../test-support/foreign-signer.ts'
import { anMdocHolder, setTenant } from '../test-support/mdoc-holder.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'
import { fetchDeferredJob } from './fetch-deferred.ts'
import { resolveOffer } from './resolve-offer.ts'

let bench: Bench
const open: { close: () => Promise<void> }[] = []
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function issuer(options: Options = {}): Promise<ForeignIssuer> {
  const made = await foreignIssuer({ offers: ['licence'], ...options })
  open.push(made)
  return made
}
const accept = (person: Caller, { offerUri }: ForeignIssuer) =>
  acceptOffer(bench.platform, person, { credentialOffer: offerUri })
const placesOf = ({ calls }: ForeignIssuer) => calls.map(({ place }) => place)
const claims = { [foreignNameSpace]: foreignElements }
const newestFirst = { size: 25, after: null, before: null, readDescending: true } as const
const held = (person: Caller) =>
  listHeld(
    bench.platform,
    person,
    { status: null, vct: foreignDocType, superseded: null },
    { ...newestFirst, sort: { field: 'createdAt', descending: true } },
  )

test('an mdoc is received with padding too, which carries nothing: the code is spent', async () => {
  const lengths = new Set<number>()
  const raw = (sent: string) => {
    lengths.add(sent.length % 4)
    return sent.padEnd(sent.length + ((4 - (sent.length % 4)) % 4), '=')
  }
  for (const name of ['J', 'Ja', 'Jan']) {
    const made = await issuer()
    made.lie({ raw, mdoc: (ask) => ({ ...ask, elements: { ...ask.elements, family_name: name } }) })
    const { credentials } = await accept(await anMdocHolder(bench), made)
    assert.partialDeepStrictEqual(credentials[0]?.claims, { [foreignNameSpace]: { family_name: name } })
  }
  assert.ok(lengths.size > 1, 'none was padded')
})

test('an mdoc of another library is verified, kept sealed and shown as the contract has it', async () => {
  const thandi = await anMdocHolder(bench)
  const { credentials } = await accept(thandi, await issuer())
  const [shown, ...others] = credentials
  assert(shown)
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(shown, { status: 'pending', format: 'mso_mdoc', vct: foreignDocType, claims })
  assert.equal(shown.iss, foreignSubject)
  assert.match(shown.iat, /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/)
  assert.ok(Date.now() - Date.parse(shown.iat) < 180_000, 'the date on which it was signed')
  assert.deepEqual(await getCredential(bench.platform, thandi, shown.id), shown)
  const [row] = await bench.rows(thandi.tenantId, 'wallet_credential')
  assert.equal(Number(row?.expires_at) - Date.parse(shown.iat), 86_400_000)
  const [copy] = await bench.rows(thandi.tenantId, 'wallet_credential_copy')
  const sealed = [copy?.sealed_raw, copy?.sealed_key].map((one) => Buffer.from(one as Buffer))
  for (const one of sealed) assert.ok(one.length > 100 && !one.includes('Jansen') && !one.includes(foreignDocType))
})

test('an mdoc with a longer validity than the certificate of its signer is accepted', async () => {
  const road = await issuer()
  const validUntil = new Date('2060-01-01T00:00:00Z')
  road.lie({ mdoc: (ask) => ({ ...ask, validityInfo: { ...ask.validityInfo, validUntil } }) })
  assert.equal((await accept(await anMdocHolder(bench), road)).credentials.length, 1)
})

test('copies of a batch are one credential, each bound to a key of its own', async () => {
  const thandi = await anMdocHolder(bench)
  const road = await issuer({ batchSize: 3 })
  assert.equal((await accept(thandi, road)).credentials.length, 1)
  assert.equal((await bench.rows(thandi.tenantId, 'wallet_credential_copy')).length, 3)
  assert.equal(new Set(road.proved.map((key) => key.x)).size, 3)
})

test('one offer may have an mdoc and an SD-JWT VC', async () => {
  const thandi = await anMdocHolder(bench)
  const { credentials } = await accept(thandi, await issuer({ offers: ['licence', 'membership'] }))
  assert.deepEqual(
    credentials.map(({ format, vct }) => [format, vct]),
    [
      ['mso_mdoc', foreignDocType],
      ['vc+sd-jwt', foreignVct],
    ],
  )
})

test('a deferred mdoc appears by itself', async () => {
  const thandi = await anMdocHolder(bench)
  const road = await issuer({ batchSize: 2 })
  const later = { status: 202, type: 'application/json', body: { transaction_id: 'tx-1', interval: 60 } }
  road.lie({ reply: { credential: () => later } })
  const { credentials, deferred } = await accept(thandi, road)
  assert.deepEqual(credentials, [])
  assert.deepEqual(deferred, [{ credentialConfigurationId: 'licence', vct: foreignDocType, intervalSeconds: 60 }])
  const jobs = await bench.rows(thandi.tenantId, 'job')
  const payload = jobs.find(({ name }) => name === fetchDeferredJob.name)?.payload as { deferredId: string }
  const about = { id: 'j', tenantId: thandi.tenantId, attempt: 1 }
  await fetchDeferredJob.run(bench.platform, payload, new AbortController().signal, about)
  assert.partialDeepStrictEqual(await held(thandi), [{ format: 'mso_mdoc', claims }])
})

test('a preview shows an mdoc with its claims', async () => {
  const thandi = await anMdocHolder(bench)
  const { credentials, credentialIssuer } = await resolveOffer(bench.platform, thandi, (await issuer()).offerUri)
  assert.deepEqual(credentials, [
    {
      credentialConfigurationId: 'licence',
      format: 'mso_mdoc',
      vct: foreignDocType,
      display: [{ name: 'Licence' }],
      claims: [{ path: [foreignNameSpace, 'family_name'] }],
      shown: {
        name: 'Licence',
        labels: [],
        issuer: { name: null, identifier: credentialIssuer, trust: 'unknown' },
      },
    },
  ])
})

for (const [what, settings, offers] of [
  ['an mdoc where the tenant says nothing', {}, ['licence']],
  ['an mdoc where only SD-JWT VCs are open', { walletFormats: ['vc+sd-jwt'] }, ['licence']],
  ['an SD-JWT VC where only mdocs are open', { walletFormats: ['mso_mdoc'] }, ['membership']],
] as const) {
  test(`${what} is refused with UNSUPPORTED_FORMAT, and nothing of the offer is spent`, async () => {
    const thandi = await anMdocHolder(bench)
    await setTenant(bench, thandi.tenantId, settings)
    const road = await issuer({ offers })
    assert.equal((await fault(accept(thandi, road))).code, 'offer.format')
    assert.equal((await fault(resolveOffer(bench.platform, thandi, road.offerUri))).code, 'offer.format')
    assert.deepEqual(faults['offer.format'].api, [422, 'UNSUPPORTED_FORMAT'])
    assert.deepEqual(new Set(placesOf(road)), new Set(['offer', 'issuer']))
    await setTenant(bench, thandi.tenantId, { walletFormats: ['vc+sd-jwt', 'mso_mdoc'] })
    assert.equal((await accept(thandi, road)).credentials.length, 1)
  })
}

test('of an offer with both formats only the enabled one is received', async () => {
  const thandi = await bench.person()
  const road = await issuer({ offers: ['licence', 'membership'] })
  const { credentials } = await accept(thandi, road)
  assert.deepEqual(
    credentials.map(({ format }) => format),
    ['vc+sd-jwt'],
  )
})

test('where only trusted issuers count, the signer must stand under a root of theirs', async () => {
  const road = await issuer()
  const settings = { issuerPolicy: 'trusted' }
  const careful = await anMdocHolder(bench, { settings })
  assert.equal((await fault(accept(careful, road))).code, 'issuer.untrusted')
  assert.deepEqual(placesOf(road), ['offer'])
})
