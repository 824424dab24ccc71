import { attributes, secret, template } from '../../bench/party.ts'
import { holderKey, redeem } from '../../demo/foreign-wallet.ts'
import { read } from '../../demo/json.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../src/crypto/json.ts'
import { type ApiCaller, apiCaller, dataOf } from './caller.ts'

/** An organisation that issues, and a foreign wallet that receives from it. */
export type Organisation = {
  readonly slug: string
  readonly caller: ApiCaller
  /** @throws Error if it is refused */
  readonly offer: () => Promise<Offer>
  /** Receives the credential of an offer. @throws Error if it is refused */
  readonly receive: (offer: Offer) => Promise<Held>
  /** Ids of the events, in their order. */
  readonly events: () => Promise<string[]>
}

/** A credential offer. */
export type Offer = { readonly credentialId: string; readonly offerUri: string }

/** A credential in a wallet. `list`: the address of its status list. */
export type Held = { readonly credentialId: string; readonly list: string; readonly index: number }

/** A bootstrap file with organisations of these names. */
export function organisationsFile(slugs: readonly string[]): object {
  const clients = (slug: string) => [{ clientId: `${slug}-backend`, clientSecret: secret, scopes: ['tenant:admin'] }]
  return { tenants: slugs.map((slug) => ({ slug, name: slug, clients: clients(slug) })) }
}

/** Prepares an organisation of the bootstrap file. */
export async function anOrganisation(base: string, slug: string): Promise<Organisation> {
  const caller = apiCaller(base, `${slug}-backend`)
  const { id: credentialTemplateId } = dataOf(
    await caller.call('POST', '/creds/templates/credentials', { json: template }),
  )
  const offer = async () => {
    const json = { credentialTemplateId, attributes }
    const made = dataOf(await caller.call('POST', '/creds/credentials/issuance', { json }))
    const [credential] = Array.isArray(made.credentials) ? made.credentials.filter(isJsonObject) : []
    return { credentialId: String(credential?.id), offerUri: String(made.offerUri) }
  }
  const receive = async ({ credentialId, offerUri }: Offer) => {
    const { status } = payloadOf(await redeem(request, offerUri, holderKey()))
    const list = isJsonObject(status) && isJsonObject(status.status_list) ? status.status_list : {}
    return { credentialId, list: String(list.uri), index: Number(list.idx) }
  }
  const events = async () => {
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const { data, meta } = await caller.call('GET', `/creds/events?sort=createdAt&page[size]=100${cursor}`)
      for (const event of Array.isArray(data) ? data.filter(isJsonObject) : []) ids.push(String(event.id))
      const after: unknown = isJsonObject(meta) && isJsonObject(meta.page) ? meta.page.after : null
      if (typeof after !== 'string') return ids
      cursor = `&page[after]=${after}`
    }
  }
  return { slug, caller, offer, receive, events }
}

const request: Parameters<typeof redeem>[0] = async (method, url, { form, json, token } = {}) => {
  const headers = {
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json)
  const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status} ${method} ${new URL(url).pathname} ${text}`)
  return text.startsWith('{') ? read(text) : text
}

function payloadOf(credential: string): JsonObject {
  const [, payload = ''] = credential.split('.')
  const value = parseJson(Buffer.from(payload, 'base64url').toString())
  return isJsonObject(value) ? value : {}
}
