import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { DeviceResponse } from '@owf/mdoc'
import type { Caller } from '../../caller.ts'
import { setConsent } from '../credentials/set-consent.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { fault } from '../test-support/fault.ts'
import { foreignIssuer } from '../test-support/foreign-issuer.ts'
import { foreignDocType, foreignNameSpace } from '../test-support/foreign-mdoc.ts'
import { foreignVerifier } from '../test-support/foreign-verifier.ts'
import { anMdocHolder, setTenant } from '../test-support/mdoc-holder.ts'
import { aMember, membership, presented, receive } from '../test-support/member.ts'
import { readDeviceResponse } from '../test-support/read-device-response.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { answerPresentation } from './answer-presentation.ts'
import { preparePresentation } from './prepare-presentation.ts'

const type = 'org.example.payment'
const settings = {
  transactionDataTypes: [{ type, members: { amount: { type: 'number' }, payee: { type: 'string' } } }],
}
const payment = (ids: string[], more = {}) => ({ type, credential_ids: ids, amount: 12.5, payee: 'Acme', ...more })
const encode = (object: object) => Buffer.from(JSON.stringify(object)).toString('base64url')
const hash = (encoded: string) => createHash('sha256').update(encoded).digest('base64url')

let bench: Bench
const open: { close: () => Promise<void> }[] = []
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function shopAsking(query: object, ...entries: object[]) {
  const shop = await foreignVerifier(query)
  open.push(shop)
  shop.behave({ object: (object) => ({ ...object, transaction_data: entries.map(encode) }) })
  return shop
}

/** The claims of the key binding of a presentation. */
function boundClaims(presentation = '') {
  const jwt = presentation.slice(presentation.lastIndexOf('~') + 1)
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}

async function share(person: Caller, id: string, selectedCredentials?: { credentialId: string }[]) {
  const named = selectedCredentials === undefined ? {} : { selectedCredentials }
  return answerPresentation(bench.platform, person, id, { status: 'answered', ...named })
}

test('the holder sees what is to be authorized before consent, and the key binding has its hash [VP-T3]', async () => {
  const { thandi } = await aMember(bench)
  await setTenant(bench, thandi.tenantId, settings)
  const entry = payment(['m'], { transaction_data_hashes_alg: ['sha-512', 'sha-256'] })
  const shop = await shopAsking({ credentials: [membership] }, entry)
  const { data, meta } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.deepEqual(meta.transactionData, [{ type, queryIds: ['m'], content: { amount: 12.5, payee: 'Acme' } }])
  await share(thandi, data.id)
  assert.partialDeepStrictEqual(boundClaims(presented(shop)[0]), {
    transaction_data_hashes: [hash(encode(entry))],
    transaction_data_hashes_alg: 'sha-256',
    nonce: shop.nonce,
  })
})

test('of two credentials the first that is shared authorizes, and only this one [VP-T1]', async () => {
  const { thandi } = await aMember(bench)
  await receive(bench, thandi)
  await setTenant(bench, thandi.tenantId, settings)
  const shop = await shopAsking({ credentials: [membership, { ...membership, id: 'n' }] }, payment(['n', 'm']))
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  await share(thandi, data.id)
  const hashes = ['m', 'n'].map((id) => boundClaims(presented(shop, 0, id)[0]).transaction_data_hashes)
  assert.deepEqual(hashes, [undefined, [hash(encode(payment(['n', 'm'])))]])
})

test('an optional credential is proposed if it authorizes; without it nothing is sent', async () => {
  const { thandi, credentialId } = await aMember(bench)
  await setTenant(bench, thandi.tenantId, settings)
  const other = { id: 'o', format: 'dc+sd-jwt', meta: { vct_values: ['https://types.example/none'] } }
  const sets = {
    credential_sets: [
      { options: [['m']], required: false },
      { options: [['o']], required: false },
    ],
  }
  const shop = await shopAsking({ credentials: [membership, other], ...sets }, payment(['m']))
  const { data, meta } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.deepEqual(
    data.selectedCredentials.map((one) => one.credentialId),
    [credentialId],
  )
  assert.deepEqual(meta.credentialSets, sets.credential_sets)
  await share(thandi, data.id)
  const lacking = await shopAsking({ credentials: [membership, other], ...sets }, payment(['o']))
  const { data: second } = await preparePresentation(bench.platform, thandi, lacking.link())
  assert.equal((await fault(share(thandi, second.id))).code, 'credential.unmatched')
  assert.equal(lacking.posted.length, 0)
})

for (const [what, entry, own] of [
  ['of a type that the organisation does not know', payment(['m'], { type: 'other' }), settings],
  ['to a wallet without types', payment(['m']), {}],
  ['for a credential that is not requested', payment(['x']), settings],
  ['with a member that the type does not define', payment(['m'], { currency: 'EUR' }), settings],
] as const) {
  test(`transaction data ${what} is refused, and nothing is sent [VP-T2]`, async () => {
    const thandi = await bench.person()
    await setTenant(bench, thandi.tenantId, own)
    const shop = await shopAsking({ credentials: [membership] }, entry)
    const refused = await fault(preparePresentation(bench.platform, thandi, shop.link()))
    assert.deepEqual([refused.code, shop.posted.length], ['presentation_request.transaction_data', 0])
  })
}

const licence = {
  id: 'l',
  format: 'mso_mdoc',
  meta: { doctype_value: foreignDocType },
  claims: [{ path: [foreignNameSpace, 'height'] }],
}

/** A person with a licence whose device may sign elements of these namespaces. */
async function licensed(authorized: readonly string[]) {
  const person = await anMdocHolder(bench, { settings })
  const road = await foreignIssuer({ offers: ['licence'] })
  open.push(road)
  road.lie({ mdoc: (ask) => ({ ...ask, authorized }) })
  const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: road.offerUri })
  await setConsent(bench.platform, person, credentials[0]?.id ?? '', 'accepted')
  return person
}

test('the device signs the hash in the namespace of the type, and two foreign libraries accept that [VP-T5]', async () => {
  const person = await licensed([type])
  const shop = await shopAsking({ credentials: [licence] }, payment(['l']))
  const { data } = await preparePresentation(bench.platform, person, shop.link())
  await share(person, data.id)
  const [presentation = ''] = presented(shop, 0, 'l')
  await readDeviceResponse(presentation, shop)
  const [document] = DeviceResponse.decode(Buffer.from(presentation, 'base64url')).documents ?? []
  const signed = document?.deviceSigned.deviceNamespaces.deviceNamespaces.get(type)
  assert.deepEqual(
    [...(signed?.deviceSignedItems ?? [])],
    [['transaction_data_hashes', [hash(encode(payment(['l'])))]]],
  )
})

test('an mdoc whose issuer did not authorize the namespace does not match [VP-T5]', async () => {
  const person = await licensed([`${type}.other`])
  const shop = await shopAsking({ credentials: [licence] }, payment(['l']))
  const { data, meta } = await preparePresentation(bench.platform, person, shop.link())
  assert.deepEqual([data.selectedCredentials, (meta.unmatched as object[]).length], [[], 1])
})
