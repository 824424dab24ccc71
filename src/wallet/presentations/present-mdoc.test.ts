import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import { parseDeviceResponse } from '../../protocols/mdoc/device-response.ts'
import { setConsent } from '../credentials/set-consent.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { fault } from '../test-support/fault.ts'
import { foreignIssuer, type Lies, type Options } from '../test-support/foreign-issuer.ts'
import { foreignDocType, foreignNameSpace } from '../test-support/foreign-mdoc.ts'
import { type ForeignVerifier, foreignVerifier, readByHand } from '../test-support/foreign-verifier.ts'
import { anMdocHolder, setTenant } from '../test-support/mdoc-holder.ts'
import { membership, presented, receive } from '../test-support/member.ts'
import { readDeviceResponse } from '../test-support/read-device-response.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { answerPresentation } from './answer-presentation.ts'
import { getPresentation } from './get-presentation.ts'
import { preparePresentation } from './prepare-presentation.ts'

let bench: Bench
const open: { close: () => Promise<void> }[] = []
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function verifier(query: unknown): Promise<ForeignVerifier> {
  const made = await foreignVerifier(query)
  open.push(made)
  return made
}

/** Gives a person an accepted licence. */
async function licensed(person: Caller, options: Options = {}, lies: Lies = {}): Promise<string> {
  const road = await foreignIssuer({ offers: ['licence'], ...options })
  road.lie(lies)
  open.push(road)
  const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: road.offerUri })
  const id = credentials[0]?.id ?? ''
  await setConsent(bench.platform, person, id, 'accepted')
  return id
}

const path = (element: string) => [foreignNameSpace, element]
const licence = {
  id: 'l',
  format: 'mso_mdoc',
  meta: { doctype_value: foreignDocType },
  claims: [
    { path: path('height'), intent_to_retain: true },
    { path: path('birth_date'), intent_to_retain: false },
  ],
}
const named = (...elements: string[]) => elements.map((one) => `${foreignNameSpace}/${one}`)
const answer = (person: Caller, id: string, selectedCredentials?: { credentialId: string }[]) =>
  answerPresentation(bench.platform, person, id, {
    status: 'answered',
    ...(selectedCredentials && { selectedCredentials }),
  })

test('an mdoc that came with padding is presented like any other', async () => {
  for (const name of ['J', 'Ja', 'Jan']) {
    const thandi = await anMdocHolder(bench)
    await licensed(
      thandi,
      {},
      {
        mdoc: (ask) => ({ ...ask, elements: { ...ask.elements, family_name: name } }),
        raw: (raw) => raw.padEnd(raw.length + ((4 - (raw.length % 4)) % 4), '='),
      },
    )
    const shop = await verifier({ credentials: [{ ...licence, claims: [{ path: path('family_name') }] }] })
    const { data } = await preparePresentation(bench.platform, thandi, shop.link())
    assert.equal((await answer(thandi, data.id)).data.status, 'answered')
    assert.equal(parseDeviceResponse(presented(shop, 0, 'l')[0] ?? '').documents.length, 1)
  }
})

test('two foreign libraries accept the presentation, bound to this request, with the requested elements only', async () => {
  const thandi = await anMdocHolder(bench)
  const credentialId = await licensed(thandi)
  const shop = await verifier({ credentials: [licence] })
  const { data, meta } = await preparePresentation(bench.platform, thandi, shop.link())
  const matchedAttributes = named('height', 'birth_date')
  assert.deepEqual(data.selectedCredentials, [{ credentialId, matchedAttributes }])
  const intentToRetain = named('height')
  const credentials = [{ credentialId, matchedAttributes, intentToRetain }]
  assert.deepEqual(meta.alternatives, [{ queryId: 'l', required: true, multiple: false, credentials }])
  assert.equal(meta.alsoDisclosed, undefined)

  assert.equal((await answer(thandi, data.id)).data.status, 'answered')
  const [presentation, ...others] = presented(shop, 0, 'l')
  assert.deepEqual(others, [])
  assert.deepEqual(await readDeviceResponse(presentation ?? '', shop), [
    foreignDocType,
    { [foreignNameSpace]: ['birth_date', 'height'] },
  ])
  for (const other of [{ nonce: 'n' }, { clientId: 'c' }, { responseUri: `${shop.responseUri}/` }]) {
    await assert.rejects(readDeviceResponse(presentation ?? '', { ...shop, ...other }))
  }
})

test('an SD-JWT VC and an mdoc answer one request, each in its own form (8.1)', async () => {
  const thandi = await anMdocHolder(bench)
  const card = await receive(bench, thandi)
  const credentialId = await licensed(thandi)
  const shop = await verifier({ credentials: [membership, licence] })
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.deepEqual(data.selectedCredentials, [
    { credentialId: card, matchedAttributes: ['member.number', 'clubs[]'] },
    { credentialId, matchedAttributes: named('height', 'birth_date') },
  ])
  await answer(thandi, data.id)
  const token = JSON.parse(shop.posted[0]?.get('vp_token') ?? '')
  assert.deepEqual(Object.keys(token).sort(), ['l', 'm'])
  assert.equal(readByHand(token.m[0]).aud, shop.clientId)
  assert.equal((await readDeviceResponse(token.l[0], shop))[0], foreignDocType)
})

test('queries by value, by several options and for several credentials are answered as for SD-JWT VCs', async () => {
  const thandi = await anMdocHolder(bench)
  const ids = [await licensed(thandi), await licensed(thandi)]
  const claims = [
    { id: 'a', path: path('age_over_18') },
    { id: 'h', path: path('height'), values: [178, 179] },
    { id: 'f', path: path('family_name'), values: ['Nobody'] },
  ]
  const claim_sets = [['a'], ['f'], ['h']]
  const shop = await verifier({ credentials: [{ ...licence, claims, claim_sets, multiple: true }] })
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.deepEqual(data.selectedCredentials[0]?.matchedAttributes, named('height'))
  await answer(
    thandi,
    data.id,
    ids.map((credentialId) => ({ credentialId })),
  )
  const both = presented(shop, 0, 'l')
  assert.equal(both.length, 2)
  for (const one of both) assert.deepEqual((await readDeviceResponse(one, shop))[1], { [foreignNameSpace]: ['height'] })
})

test('an age attestation is answered by the nearest one that decides it, which the holder sees and the verifier gets', async () => {
  const thandi = await anMdocHolder(bench)
  const ages = { age_over_16: true, age_over_21: true, age_over_25: true, age_over_65: false }
  await licensed(thandi, {}, { mdoc: (ask) => ({ ...ask, elements: { ...ask.elements, ...ages } }) })
  const ask = async (...claims: object[]) => {
    const shop = await verifier({ credentials: [{ ...licence, claims }] })
    const { data } = await preparePresentation(bench.platform, thandi, shop.link())
    return { shop, ...(await getPresentation(bench.platform, thandi, data.id)) }
  }
  const age = (years: number, more: object = {}) => ({ path: path(`age_over_${years}`), ...more })
  const { shop, data, meta } = await ask(age(18, { values: [true], intent_to_retain: true }), age(20), age(70))
  const [only] = data.selectedCredentials
  assert.deepEqual(only?.matchedAttributes, named('age_over_21', 'age_over_65'))
  assert.partialDeepStrictEqual(meta, {
    alternatives: [{ credentials: [{ intentToRetain: named('age_over_21') }] }],
    preview: [
      {
        disclosed: [
          { path: JSON.stringify(path('age_over_21')), value: true, isRequested: true },
          { path: JSON.stringify(path('age_over_65')), value: false, isRequested: true },
        ],
      },
    ],
  })
  assert.equal((await answer(thandi, data.id)).data.status, 'answered')
  const [, disclosed] = await readDeviceResponse(presented(shop, 0, 'l')[0] ?? '', shop)
  assert.deepEqual(disclosed, { [foreignNameSpace]: ['age_over_21', 'age_over_65'] })
  for (const claim of [age(30), age(18, { values: [false] }), age(70, { values: [true] })])
    assert.deepEqual((await ask(claim)).data.selectedCredentials, [])
})

test('each presentation takes an unused copy, as long as there is one', async () => {
  const thandi = await anMdocHolder(bench)
  await licensed(thandi, { batchSize: 2 })
  const shop = await verifier({ credentials: [licence] })
  for (const _ of [1, 2, 3]) {
    const { data } = await preparePresentation(bench.platform, thandi, shop.link())
    await answer(thandi, data.id)
  }
  const keys = [0, 1, 2].map((at) => {
    const { documents } = parseDeviceResponse(presented(shop, at, 'l')[0] ?? '')
    return documents[0]?.issuerSigned.mso.deviceKey?.x
  })
  assert.equal(new Set(keys).size, 2)
  assert.notEqual(keys[0], keys[1])
})

test('an mdoc that is not accepted, of another type, without the element, or of another user is not presented', async () => {
  const thandi = await anMdocHolder(bench)
  const pieter = await bench.person(thandi.tenantId)
  const credentialId = await licensed(thandi)
  const selectedFor = async (person: Caller, query: object) => {
    const shop = await verifier({ credentials: [{ ...licence, ...query }] })
    const { data, meta } = await preparePresentation(bench.platform, person, shop.link())
    assert.equal(shop.posted.length, 0)
    return data.selectedCredentials.length === 0 ? (meta.unmatched as unknown[]).length : 0
  }
  assert.equal(await selectedFor(thandi, {}), 0)
  assert.equal(await selectedFor(pieter, {}), 1)
  assert.equal(await selectedFor(thandi, { meta: { doctype_value: 'org.example.other' } }), 1)
  assert.equal(await selectedFor(thandi, { claims: [{ path: path('eye_colour') }] }), 1)
  assert.equal(await selectedFor(thandi, { claims: [{ path: ['org.example', 'height'] }] }), 1)
  await setConsent(bench.platform, thandi, credentialId, 'rejected')
  assert.equal(await selectedFor(thandi, {}), 1)
})

test('no mdoc is presented to a verifier of other formats, nor for a tenant that has not enabled mdocs', async () => {
  const thandi = await anMdocHolder(bench)
  await licensed(thandi)
  const shop = await verifier({ credentials: [licence] })
  const supporting = (formats: object) =>
    shop.behave({ object: (object) => ({ ...object, client_metadata: { vp_formats_supported: formats } }) })
  supporting({ 'dc+sd-jwt': {} })
  assert.deepEqual((await preparePresentation(bench.platform, thandi, shop.link())).data.selectedCredentials, [])
  supporting({ mso_mdoc: { deviceauth_alg_values: [-35] } })
  assert.equal(
    (await fault(preparePresentation(bench.platform, thandi, shop.link()))).code,
    'presentation_request.formats',
  )
  supporting({ mso_mdoc: { deviceauth_alg_values: [-7] } })
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.equal(data.selectedCredentials.length, 1)
  await setTenant(bench, thandi.tenantId, {})
  assert.equal(
    (await fault(preparePresentation(bench.platform, thandi, shop.link()))).code,
    'presentation_request.formats',
  )
})
