// Which of several cards of one type is proposed, by what their issuers say about them now.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import { setConsent } from '../credentials/set-consent.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { type ForeignIssuer, foreignIssuer, type Lies } from '../test-support/foreign-issuer.ts'
import { foreignVerifier } from '../test-support/foreign-verifier.ts'
import { membership } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { answerPresentation } from './answer-presentation.ts'
import { getPresentation } from './get-presentation.ts'
import { preparePresentation } from './prepare-presentation.ts'

let bench: Bench
let passed = 0
const open: { close: () => Promise<void> }[] = []
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(async () => {
  bench.later(-passed)
  passed = 0
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const [VALID, REVOKED, SUSPENDED] = [0, 1, 2]
/** The list is good for a day: what it says is asked again only because a card is asked for. */
const saying = (status: number, more: Lies = {}): Lies => ({
  listed: { status, payload: (payload) => ({ ...payload, exp: Number(payload.exp) + 86_400, ttl: 43_200 }) },
  ...more,
})
const away = (status: number) => saying(status, { reply: { list: (reply) => ({ ...reply, status: 503 }) } })

type Card = { readonly id: string; readonly issuer: ForeignIssuer }

async function aCard(person: Caller, lies: Lies = saying(VALID)): Promise<Card> {
  const issuer = await foreignIssuer()
  open.push(issuer)
  issuer.lie(lies)
  const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
  const id = credentials[0]?.id ?? ''
  await setConsent(bench.platform, person, id, 'accepted')
  return { id, issuer }
}

async function ask(person: Caller, query: unknown = { credentials: [membership] }) {
  // longer than a list that was just read is taken for the state now
  passed += 61
  bench.later(61)
  const shop = await foreignVerifier(query)
  open.push(shop)
  const { data, meta } = await preparePresentation(bench.platform, person, shop.link())
  return {
    shop,
    id: data.id,
    selected: data.selectedCredentials.map((one) => one.credentialId),
    listed: listedIn(meta),
  }
}

function listedIn(meta: object): string[] {
  const { alternatives } = meta as { alternatives: { credentials: { credentialId: string }[] }[] }
  return alternatives.flatMap(({ credentials }) => credentials.map(({ credentialId }) => credentialId))
}

/** What the pages make the proposal from. */
async function proposedIn(person: Caller, id: string) {
  const { data, meta } = await getPresentation(bench.platform, person, id)
  const { preview, credentials } = meta as {
    preview: { credentialId: string }[]
    credentials: Record<string, { standing?: { status: string } }>
  }
  return {
    selected: data.selectedCredentials.map(({ credentialId }) => credentialId),
    previewed: preview.map(({ credentialId }) => credentialId),
    standings: preview.map(({ credentialId }) => credentials[credentialId]?.standing?.status),
  }
}

test('a card that its issuer revoked a second ago is not proposed where a valid one is there', async () => {
  const thandi = await bench.person()
  const older = await aCard(thandi)
  const newer = await aCard(thandi)
  newer.issuer.lie(saying(REVOKED))
  const { id, selected, listed, shop } = await ask(thandi)
  assert.deepEqual([selected, listed], [[older.id], [older.id, newer.id]])
  assert.deepEqual(await proposedIn(thandi, id), {
    selected: [older.id],
    previewed: [older.id, newer.id],
    standings: ['valid', 'revoked'],
  })
  await answerPresentation(bench.platform, thandi, id, { status: 'answered' })
  assert.equal(shop.posted.length, 1)
})

test('valid precedes unknown, unknown precedes suspended, suspended precedes revoked', async () => {
  const thandi = await bench.person()
  const valid = await aCard(thandi)
  const unlisted = await aCard(thandi, {})
  const unknown = await aCard(thandi)
  const suspended = await aCard(thandi)
  const revoked = await aCard(thandi)
  unknown.issuer.lie(away(VALID))
  suspended.issuer.lie(saying(SUSPENDED))
  revoked.issuer.lie(saying(REVOKED))
  const { id, selected, listed } = await ask(thandi)
  const order = [unlisted, valid, unknown, suspended, revoked].map((one) => one.id)
  assert.deepEqual([selected, listed], [[unlisted.id], order])
  assert.deepEqual((await proposedIn(thandi, id)).previewed, order)
})

for (const [what, status] of [
  ['revoked', REVOKED],
  ['suspended', SUSPENDED],
] as const) {
  test(`a ${what} card is proposed where there is no other, with its status`, async () => {
    const thandi = await bench.person()
    const card = await aCard(thandi)
    card.issuer.lie(saying(status))
    const { id, selected, listed, shop } = await ask(thandi)
    assert.deepEqual([selected, listed], [[card.id], [card.id]])
    assert.deepEqual(await proposedIn(thandi, id), {
      selected: [card.id],
      previewed: [card.id],
      standings: [what],
    })
    await answerPresentation(bench.platform, thandi, id, { status: 'answered' })
    assert.equal(shop.posted.length, 1)
  })
}

test('the tag of what a person is shown changes when a card of it is revoked', async () => {
  const thandi = await bench.person()
  const card = await aCard(thandi)
  const first = await ask(thandi)
  const before = await getPresentation(bench.platform, thandi, first.id)
  card.issuer.lie(saying(REVOKED))
  await ask(thandi)
  const now = await getPresentation(bench.platform, thandi, first.id)
  assert.notEqual(now.etag, before.etag)
  assert.deepEqual((await proposedIn(thandi, first.id)).standings, ['revoked'])
})

test('a card answers the query that it was proposed for, also where it precedes another in the wallet', async () => {
  const thandi = await bench.person()
  const one = await aCard(thandi)
  const number = (payload: object) => ({ ...payload, member: { number: 'M-2' } })
  const other = await aCard(thandi, saying(VALID, { payload: number }))
  const asking = (id: string, more: object) => ({ ...membership, id, ...more })
  const claims = [{ path: ['member', 'number'], values: ['M-1'] }]
  const { id, selected, shop } = await ask(thandi, { credentials: [asking('first', { claims }), asking('any', {})] })
  assert.deepEqual(selected, [one.id, other.id])
  await answerPresentation(bench.platform, thandi, id, { status: 'answered' })
  assert.equal(shop.posted.length, 1)
})

test('an option of a credential set with a valid card precedes one with a revoked card', async () => {
  const thandi = await bench.person()
  const plain = await aCard(thandi)
  const number = (value: string): Lies => ({ payload: (payload) => ({ ...payload, member: { number: value } }) })
  const preferred = await aCard(thandi, saying(VALID, number('M-2')))
  const asking = (id: string, value: string) => ({
    ...membership,
    id,
    claims: [{ path: ['member', 'number'], values: [value] }],
  })
  const query = {
    credentials: [asking('preferred', 'M-2'), asking('plain', 'M-1')],
    credential_sets: [{ options: [['preferred'], ['plain']] }],
  }
  assert.deepEqual((await ask(thandi, query)).selected, [preferred.id])
  preferred.issuer.lie(saying(REVOKED))
  assert.deepEqual((await ask(thandi, query)).selected, [plain.id])
})

test('lists that do not answer cost a request two seconds, and the cards stay behind the valid ones', async () => {
  const thandi = await bench.person()
  const valid = await aCard(thandi)
  const slow = [await aCard(thandi), await aCard(thandi), await aCard(thandi)]
  const { promise: never, resolve: end } = Promise.withResolvers<void>()
  for (const { issuer } of slow) issuer.lie(saying(REVOKED, { reply: { list: (reply) => never.then(() => reply) } }))
  const begun = performance.now()
  const { selected, listed } = await ask(thandi)
  const ms = performance.now() - begun
  end()
  const behind = slow.map(({ id }) => id).reverse()
  assert.deepEqual([selected, listed], [[valid.id], [valid.id, ...behind]])
  assert.ok(ms < 4000, `${ms} ms`)
})

test('the status of at most 16 cards is looked up for a request', async () => {
  const thandi = await bench.person()
  const cards: Card[] = []
  for (let held = 0; held < 18; held += 1) cards.push(await aCard(thandi))
  const lookUps = () => cards.flatMap(({ issuer }) => issuer.calls.filter(({ place }) => place === 'list')).length
  const before = lookUps()
  const { listed } = await ask(thandi)
  assert.deepEqual([lookUps() - before, listed.length], [16, 18])
  assert.deepEqual(listed.slice(-2), [cards[1]?.id, cards[0]?.id])
})
