import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type ForeignVerifier, foreignVerifier, readByHand } from '../test-support/foreign-verifier.ts'
import { aMember, membership, presented, receive } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { answerPresentation } from './answer-presentation.ts'
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

async function verifier(query: unknown = { credentials: [membership] }): Promise<ForeignVerifier> {
  const made = await foreignVerifier(query)
  open.push(made)
  return made
}

test('the holder is shown the claims that are always disclosed, and they are the ones disclosed [SEC-55]', async () => {
  const { thandi, credentialId } = await aMember(bench)
  const shop = await verifier()
  const { data, meta } = await preparePresentation(bench.platform, thandi, shop.link())
  const along = { credentialId, attributes: ['member.since', 'jti'] }
  assert.deepEqual(meta.alsoDisclosed, [along])
  const [alternative] = meta.alternatives as { credentials: { alsoDisclosed: string[] }[] }[]
  assert.deepEqual(alternative?.credentials[0]?.alsoDisclosed, along.attributes)
  const answered = await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' })
  assert.deepEqual(answered.meta.alsoDisclosed, [along])
  const [jwt = ''] = (presented(shop)[0] ?? '').split('~')
  const inTheClear = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
  assert.deepEqual([inTheClear.member.since, inTheClear.jti], [2019, 'x'])
})

test('of an array only the requested elements are disclosed, and of an object only the requested members [DCQL-4, DCQL-6]', async () => {
  const thandi = await bench.person()
  const frame = { _sd: ['member', 'given_name', 'clubs'], member: { _sd: ['number', 'since'] }, clubs: { _sd: [0, 1] } }
  await receive(bench, thandi, 1, { frame })
  const claims = [{ path: ['clubs', null], values: ['go', 'bridge'] }, { path: ['member', 'since'] }]
  const shop = await verifier({ credentials: [{ ...membership, claims }] })
  const { data, meta } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.deepEqual(data.selectedCredentials[0]?.matchedAttributes, ['clubs[]', 'member.since'])
  assert.deepEqual((meta.alsoDisclosed as { attributes: string[] }[])[0]?.attributes, ['jti'])
  await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' })
  const { disclosed } = readByHand(presented(shop)[0] ?? '')
  const values = disclosed.filter((one) => one.length === 1).map(([value]) => value)
  const names = disclosed.filter((one) => one.length === 2).map(([name]) => name)
  assert.deepEqual([values, names.sort()], [['go'], ['clubs', 'member', 'since']])
})

test('verifiers get fresh copies while there are some, then the one that was shown longest ago', async () => {
  const { thandi } = await aMember(bench, 3)
  const keys: string[] = []
  for (let i = 0; i < 4; i += 1) {
    const shop = await verifier()
    const { data } = await preparePresentation(bench.platform, thandi, shop.link())
    await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' })
    keys.push(readByHand(presented(shop)[0] ?? '').holderKey)
  }
  assert.equal(new Set(keys.slice(0, 3)).size, 3)
  assert.equal(keys[3], keys[0])
})

test('two queries that one credential answers get a presentation each', async () => {
  const { thandi, credentialId } = await aMember(bench)
  const name = { ...membership, id: 'n', claims: [{ path: ['given_name'] }] }
  const shop = await verifier({ credentials: [membership, name] })
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.deepEqual(data.selectedCredentials, [
    { credentialId, matchedAttributes: ['member.number', 'clubs[]', 'given_name'] },
  ])
  await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' })
  assert.deepEqual(readByHand(presented(shop, 0, 'n')[0] ?? '').disclosed, [['given_name', 'Zoë']])
  assert.equal(readByHand(presented(shop, 0, 'm')[0] ?? '').disclosed.length, 2)
})
