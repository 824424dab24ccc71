import { holderKey, redeem } from '../demo/foreign-wallet.ts'
import { text } from '../demo/json.ts'
import type { Client, Load } from './measure.ts'
import { backendToken, createTemplate, openIssuance, receivers, walletToken } from './party.ts'

/** A named load on a server. */
export type Question = { readonly what: string; readonly load: Load }

const ISSUANCES_AT_ONCE = [16, 1]
const OFFERS_PREPARED = 150
/** Each holder has a key of its own: more than a server would cache, so each proof costs the import of a key. */
const HOLDER_KEYS = 5000

/** Prepares the loads one after the other; each is run before the next one is prepared. */
export async function* questions(client: Client, seconds: number): AsyncGenerator<Question> {
  const token = await backendToken(client)
  const { id, type } = await createTemplate(client, token)
  for (const atOnce of ISSUANCES_AT_ONCE) yield { what: 'issuance', load: issuanceLoad(client, token, id, atOnce) }
  yield { what: 'wallet accept', load: await acceptLoad(client, token, id, Math.ceil(OFFERS_PREPARED * seconds)) }
  yield { what: 'presentation', load: await presentationLoad(client, token, id, type) }
  const one = await openIssuance(client, token, id)
  const get = (path: string) => () => client.send('GET', path, { token })
  yield { what: 'list of 25', load: { atOnce: 16, flow: get('/creds/credentials') } }
  yield { what: 'get', load: { atOnce: 16, flow: get(`/creds/credentials/${one.id}`) } }
}

/** How much does a full issuance cost? Create, offer, both metadata documents, token, nonce, credential. */
function issuanceLoad(client: Client, token: string, templateId: string, atOnce: number): Load {
  const keys = Array.from({ length: HOLDER_KEYS }, holderKey)
  const flow = async (turn: number) => {
    const { offerUri } = await openIssuance(client, token, templateId)
    await redeem(client.foreign, offerUri, keys[turn % keys.length] ?? holderKey())
  }
  return { atOnce, flow }
}

/**
 * How much does it cost our own wallet to accept an offer, the issuer's part included? The offers are created before.
 */
async function acceptLoad(client: Client, token: string, templateId: string, offers: number): Promise<Load> {
  const wallets = await Promise.all(receivers.map((one) => walletToken(client, one, token)))
  const prepared: string[] = []
  while (prepared.length < offers) {
    const some = await Promise.all(Array.from({ length: 25 }, () => openIssuance(client, token, templateId)))
    prepared.push(...some.map(({ offerUri }) => offerUri))
  }
  const flow = async (turn: number) => {
    const json = { credentialOffer: prepared[turn] ?? '' }
    await client.send('POST', '/wallet/v2/credentials', { token: wallets[turn % wallets.length] ?? '', json })
  }
  return { atOnce: 4, turnsMax: prepared.length, flow }
}

/** How much does a presentation by direct_post.jwt cost, both sides included? Request, prepare, answer, result. */
async function presentationLoad(client: Client, token: string, templateId: string, type: string): Promise<Load> {
  const wallet = await walletToken(client, 'presenter', token)
  const { offerUri } = await openIssuance(client, token, templateId)
  const received = await client.send('POST', '/wallet/v2/credentials', {
    token: wallet,
    json: { credentialOffer: offerUri },
  })
  const path = `/wallet/v2/credentials/${text(received, 'data', 0, 'id')}`
  await client.send('PATCH', path, { token: wallet, json: { status: 'accepted' } })
  const query = { type, attributes: { claim_1: { type: 'string' }, claim_2: { type: 'string' } } }
  const verifierConfig = { responseMode: 'direct_post.jwt' }
  const asked = { name: 'Two claims', description: 'Of ten', credentials: [query], verifierConfig }
  const made = await client.send('POST', '/creds/templates/presentations', { token, json: asked })
  const presentationTemplateId = text(made, 'data', 'id')
  const flow = async () => {
    const request = await client.send('POST', '/creds/presentations/request', {
      token,
      json: { presentationTemplateId },
    })
    const json = { presentationRequest: text(request, 'data', 'authorizationRequestUri') }
    const prepared = await client.send('POST', '/wallet/v2/presentations', { token: wallet, json })
    const answer = { token: wallet, json: { status: 'answered' } }
    await client.send('PATCH', `/wallet/v2/presentations/${text(prepared, 'data', 'id')}`, answer)
    const result = await client.send('GET', `/creds/presentations/${text(request, 'data', 'id')}`, { token })
    if (text(result, 'data', 'status') !== 'verified') throw new Error(`not verified: ${JSON.stringify(result)}`)
  }
  return { atOnce: 4, flow }
}
