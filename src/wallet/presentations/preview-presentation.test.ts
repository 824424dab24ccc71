// What a holder is shown before sharing: every value that leaves, or the number of those that are too much to be shown.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ClaimsPreview } from '../../contract/wallet/presentations.ts'
import { setConsent } from '../credentials/set-consent.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { foreignIssuer, type Lies } from '../test-support/foreign-issuer.ts'
import { foreignDocType, foreignNameSpace } from '../test-support/foreign-mdoc.ts'
import { foreignVerifier } from '../test-support/foreign-verifier.ts'
import { anMdocHolder } from '../test-support/mdoc-holder.ts'
import { membership, receive } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { getPresentation } from './get-presentation.ts'
import { preparePresentation } from './prepare-presentation.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

/** A membership whose claims are all disclosed at once, but for the club names. */
const says = (claims: object): Lies => ({
  payload: (payload) => ({ ...payload, ...claims }),
  frame: { _sd: ['clubs'] },
})

async function previewsOf(
  person: Awaited<ReturnType<Bench['person']>>,
  query: unknown,
): Promise<readonly ClaimsPreview[]> {
  const shop = await foreignVerifier(query)
  const { data } = await preparePresentation(bench.platform, person, shop.link())
  await shop.close()
  const { meta } = await getPresentation(bench.platform, person, data.id)
  return meta.preview as readonly ClaimsPreview[]
}

const shownMember = async (lies: Lies, cards = 1) => {
  const person = await bench.person()
  for (let n = 0; n < cards; n += 1) await receive(bench, person, 1, lies)
  return previewsOf(person, { credentials: [{ ...membership, claims: [{ path: ['given_name'] }] }] })
}

test('each of 900 claims that leave is listed, a long one whole, an empty one too', async () => {
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`claim_${n}`, n]))
  const [preview] = await shownMember(says({ ...many, long: 'x'.repeat(100_000), nothing: [] }))
  const values = new Map(preview?.disclosed.map(({ path, value }) => [path, value]))
  assert.equal(values.get('["claim_899"]'), 899)
  assert.equal(values.get('["long"]'), 'x'.repeat(100_000))
  assert.deepEqual(values.get('["nothing"]'), [])
  assert.equal(preview?.disclosedMore, undefined)
})

test('what is too much to be listed is counted: 10,000 claims, and values that are long together', async () => {
  const many = Array.from({ length: 10_000 }, (_, n) => n)
  const [ten] = await shownMember(says({ many }))
  assert.equal((ten?.disclosed.length ?? 0) + (ten?.disclosedMore ?? 0), 10_000 + 4)
  assert.equal(ten?.disclosed.length, 2000)
  const long = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, name.repeat(90_000)]))
  const [three] = await shownMember(says(long))
  assert.deepEqual([three?.disclosed.some(({ path }) => path === '["b"]'), three?.disclosedMore], [true, 1])
})

test('names of claims that stay are listed up to 500, and the rest is counted', async () => {
  const many = Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`claim_${n}`, n]))
  const payload: Lies['payload'] = (all) => ({ ...all, ...many })
  const [preview] = await shownMember({ payload, frame: { _sd: Object.keys(many) } })
  assert.equal(preview?.withheld.length, 500)
  assert.equal(preview?.withheldMore, 200)
})

test('of many large cards the first ones are listed, so that a wallet full of them has an answer of bounded size', async () => {
  const previews = await shownMember(says({ long: 'x'.repeat(190_000) }), 12)
  assert.equal(previews.length, 12)
  assert.deepEqual(
    previews.map(({ disclosedMore = 0 }) => disclosedMore > 0),
    [...Array(10).fill(false), true, true],
  )
  assert.ok(JSON.stringify(previews).length < 2_100_000)
})

test('an element of an mdoc is listed with everything in it, and its keys', async () => {
  const person = await anMdocHolder(bench)
  const issuer = await foreignIssuer({ offers: ['licence'] })
  const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
  await issuer.close()
  await setConsent(bench.platform, person, credentials[0]?.id ?? '', 'accepted')
  const claims = [{ path: [foreignNameSpace, 'driving_privileges'] }]
  const query = { id: 'l', format: 'mso_mdoc', meta: { doctype_value: foreignDocType }, claims }
  const [preview] = await previewsOf(person, { credentials: [query] })
  assert.ok(preview !== undefined)
  assert.equal(preview.disclosed.length, 1)
  assert.deepEqual(Object.keys(Object(preview.disclosed[0]?.value)[0]), ['vehicle_category_code', 'issue_date'])
})
