import type { KeyObject } from 'node:crypto'
import { decryptCompact, encryptCompact } from '../../crypto/jwe.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import type { OutboundAnswer, Platform } from '../../platform.ts'
import { buildResponseEncryption } from '../../protocols/openid4vci/issuer-encryption.ts'
import { readTokenResponse } from '../../protocols/openid4vci/token-response.ts'
import { bytesMax, errorCodeOf, isOk, jsonOf, upstreamRefusal } from '../credentials/upstream.ts'
import { sendAsClient } from '../issuer-access/grant-client.ts'
import { type SendNeeds, sendWithToken } from '../issuer-access/send-protected.ts'
import { accessOf, type OpenOrder, type Order } from './order.ts'

type Needs = SendNeeds & Pick<Platform, 'keys' | 'urls' | 'store'>

/** A message to the credential endpoint. `responseKey`: what decrypts the response; null: it is not encrypted. */
type Message = { readonly type: string; readonly body: string; readonly responseKey: KeyObject | null }

/**
 * Posts to the credential or deferred credential endpoint: encrypted if the issuer can [W-C5], with the access token of
 * the order, which is renewed once if the issuer refuses it.
 *
 * @returns the response, decrypted. Errors are never encrypted.
 * @throws Fault `issuer_answer.invalid`, `offer.unusable`, `upstream.*`
 * @see [OpenID4VCI 1.0, 10](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-encrypted-credential-request)
 */
export async function callIssuer(platform: Needs, open: OpenOrder, url: string, body: object): Promise<OutboundAnswer> {
  const answer = await postOrClear(platform, open, url, body)
  if (answer.status !== 401 || open.order.refreshToken === null) return answer
  await renewToken(platform, open, open.order.refreshToken)
  return postOrClear(platform, open, url, body)
}

/**
 * OpenID4VCI 1.0, 8.3.1.2: an issuer that cannot use the parameters answers `invalid_encryption_parameters`. Where its
 * metadata do not require encryption, the request is repeated once, and all later ones of the order are sent, in the
 * clear.
 */
async function postOrClear(platform: Needs, open: OpenOrder, url: string, body: object): Promise<OutboundAnswer> {
  const answer = await post(platform, open.order, url, body)
  const { encryption, encryptionRequired } = open.order
  const isOptional = encryption !== null && encryptionRequired === false
  if (!isOptional || errorCodeOf(answer) !== 'invalid_encryption_parameters') return answer
  open.order = { ...open.order, encryption: null }
  return post(platform, open.order, url, body)
}

async function post(platform: Needs, order: Order, url: string, body: object): Promise<OutboundAnswer> {
  const message = messageOf(order, body)
  const limit = bytesMax.credentials(Math.max(...order.datasets.map(({ keys }) => keys.length)))
  const answer = await sendWithToken(platform, url, accessOf(order), {
    method: 'POST',
    headers: { 'content-type': message.type },
    body: message.body,
    accept: ['application/json', 'application/jwt'],
    bytesMax: limit,
  })
  return message.responseKey === null || !isOk(answer) ? plain(answer) : decrypted(answer, message.responseKey, limit)
}

function messageOf({ encryption }: Order, body: object): Message {
  if (encryption === null) return { type: 'application/json', body: JSON.stringify(body), responseKey: null }
  const { request, response } = encryption
  // for one response only
  const key = response === null ? null : generateKeyPair()
  const wish = response === null || key === null ? {} : buildResponseEncryption(key.publicJwk, response)
  const sealed = encryptCompact(JSON.stringify({ ...body, ...wish }), request)
  return { type: 'application/jwt', body: sealed, responseKey: key?.privateKey ?? null }
}

function plain(answer: OutboundAnswer): OutboundAnswer {
  if (!isOk(answer) || answer.contentType === 'application/json') return answer
  throw new Fault('issuer_answer.invalid', { detail: 'The issuer encrypted a response that was to be plain.' })
}

/** [W-C5] A plain response is refused: it could have been replaced on the way. */
function decrypted(answer: OutboundAnswer, key: KeyObject, inflatedBytesMax: number): OutboundAnswer {
  const isJwt = answer.contentType === 'application/jwt'
  const body = isJwt ? decryptCompact(answer.body.toString('latin1').trim(), key, inflatedBytesMax) : null
  if (body === null)
    throw new Fault('issuer_answer.invalid', { detail: 'The response of the issuer is not encrypted as requested.' })
  return { ...answer, contentType: 'application/json', body }
}

/** @throws Fault `offer.unusable` if the server refuses the refresh token */
async function renewToken(platform: Needs, open: OpenOrder, refreshToken: string): Promise<void> {
  const { client: known } = open.order
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
  const { answer, client } = await sendAsClient(platform, known, known.tokenEndpoint, form)
  if (!isOk(answer)) throw upstreamRefusal(answer, 'offer.unusable', 'The issuer does not renew the access token.')
  const token = readTokenResponse(jsonOf(answer, 'issuer_answer.invalid'), client.usesDpop)
  open.order = {
    ...open.order,
    client,
    accessToken: token.accessToken,
    // RFC 6749 6: a new refresh token replaces the old one
    refreshToken: token.refreshToken ?? refreshToken,
  }
  await open.save(open.order)
}
