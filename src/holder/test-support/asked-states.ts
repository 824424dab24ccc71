import assert from 'node:assert/strict'
import type { Stop } from '../../../test/support/page-walk.ts'
import type { Api } from '../../../test/support/server.ts'
import { type HolderWorld, opening } from './holder-world.ts'

const entries = Array.from({ length: 30 }, (_, n) => ({
  code: `B${n}`,
  limits: { from: `20${n + 10}-01-31`, sign: '<=' },
}))
/** What a card says that is long, nested, turned or no text at all. */
const records = {
  remarks: `May drive ${'with glasses, by day, not on motorways, '.repeat(60)}and nothing else.`,
  portrait: 'iVBORw0KGgo'.repeat(600),
  privileges: entries,
  name: 'Thandi \u202eeltaW\u202c <b>Molefe</b>',
}
const text = { type: 'string' }
const recordAttributes = {
  remarks: { ...text, name: 'Remarks' },
  portrait: { ...text, name: 'Portrait' },
  name: { ...text, name: 'Name' },
  privileges: {
    type: 'array',
    name: 'Driving privileges',
    items: {
      type: 'object',
      properties: { code: text, limits: { type: 'object', properties: { from: text, sign: text } } },
    },
  },
}

async function made(api: Api, path: string, body: object) {
  const answer = await api.post(path, body)
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  return answer.body.data
}

/** Makes a type, and gives one card of it to the owner of a wallet. */
async function cardOf({ acme }: HolderWorld, wallet: Api, name: string, attributes: object, says: object) {
  const display = { name, locale: 'en' }
  const code = name.toLowerCase()
  const template = await made(acme, '/creds/templates/credentials', { name, code, attributes, display })
  const issuance = { credentialTemplateId: template.id, attributes: says }
  const { offerUri } = await made(acme, '/creds/credentials/issuance', issuance)
  const [card] = await made(wallet, '/wallet/v2/credentials', { credentialOffer: offerUri })
  await wallet.patch(`/wallet/v2/credentials/${card.id}`, { status: 'accepted' })
  return { type: template.type as string, id: card.id as string }
}

const queryOf = (type: string, names: readonly string[], id = 'q') => ({
  id,
  format: 'dc+sd-jwt',
  meta: { vct_values: [type] },
  claims: names.map((name) => ({ path: [name] })),
})

/**
 * Makes the states of a consent in which something is unusual: values that are long and nested, cards that are missing,
 * a card that its holder removed after the request, requests that another wallet answered or that the verifier
 * withdrew.
 */
export async function askedStops(world: HolderWorld): Promise<Stop[]> {
  const [wallet, other] = await Promise.all(['thandi', 'pieter'].map((name) => world.chirograph.wallet('acme', name)))
  assert.ok(wallet !== undefined && other !== undefined)
  const asked = async (...credentials: object[]) => {
    const shop = await world.aShop({ credentials })
    const { id } = await made(wallet, '/wallet/v2/presentations', { presentationRequest: shop.link() })
    return `/me/asked/${id}`
  }
  const licence = await cardOf(world, wallet, 'Licence', recordAttributes, records)
  const long = await asked(queryOf(licence.type, Object.keys(records)))
  const missing = await asked(
    queryOf(world.withCode.type, ['degree'], 'known'),
    queryOf('https://types.example/vct/employee_badge/v2', ['name'], 'unknown'),
  )
  const pass = await cardOf(world, wallet, 'Pass', { zone: { ...text, name: 'Zone' } }, { zone: 'A' })
  const gone = await asked(queryOf(pass.type, ['zone']))
  await wallet.delete(`/wallet/v2/credentials/${pass.id}`)
  const [card] = await made(other, '/wallet/v2/credentials', { credentialOffer: (await world.issue()).offerUri })
  await other.patch(`/wallet/v2/credentials/${card.id}`, { status: 'accepted' })
  const [early, late] = [await world.ask(), await world.ask()]
  const mine = await made(wallet, '/wallet/v2/presentations', { presentationRequest: early })
  for (const presentationRequest of [early, late]) {
    const { id } = await made(other, '/wallet/v2/presentations', { presentationRequest })
    assert.equal((await other.patch(`/wallet/v2/presentations/${id}`, { status: 'answered' })).status, 200)
  }
  assert.equal((await wallet.patch(`/wallet/v2/presentations/${mine.id}`, { status: 'answered' })).status, 422)
  const changed = { answer: 'answered', etag: '"before"', seen: '["Licence · Eyesight"]' }
  return [
    { path: long },
    { path: long, send: changed, status: 412 },
    { path: missing },
    { path: gone, send: { ...changed, seen: '["Pass · Zone"]' }, status: 412 },
    { path: `/me/asked/${mine.id}` },
    { path: opening(late), status: 410 },
    { path: `/me/cards/${licence.id}` },
  ]
}
