import { toBase64url } from '../../crypto/base64url.ts'
import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import type { P256Jwk } from '../../crypto/jwk.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import { statedMembers } from '../shape.ts'
import { dcqlParameters, REQUEST_OBJECT_TYPE, type RequestHeader, type vpFormatsSupported } from './request-object.ts'
import { type ResponseForm, readResponse } from './response.ts'

/** Exchange protocols of OpenID4VP 1.0, by the kind of request. [VP-D1] */
export const exchangeProtocols = {
  unsigned: 'openid4vp-v1-unsigned',
  signed: 'openid4vp-v1-signed',
  multisigned: 'openid4vp-v1-multisigned',
} as const

/** Input of a request over the Digital Credentials API. There is no `state` and no `response_uri` [VP-D2]. */
type BrowserRequestInput = {
  readonly nonce: string
  readonly dcqlQuery: object
  readonly transactionData?: readonly string[]
  /** Without it the response is not encrypted. */
  readonly encryptionKey?: P256Jwk
}

/**
 * Returns the parameters of a request that all its signers share; of an unsigned one they are all but `verifier_info`.
 */
export function browserParameters(input: BrowserRequestInput, formats: Partial<typeof vpFormatsSupported>) {
  const mode = input.encryptionKey === undefined ? 'dc_api' : 'dc_api.jwt'
  return { response_mode: mode, ...dcqlParameters(input, formats) } as const
}

/** One signer of a request. `verifierInfo`: its attestations. */
type RequestSigner = {
  readonly clientId: string
  readonly verifierInfo?: readonly JsonObject[]
  readonly header: RequestHeader
  readonly key: SigningKey
}

/**
 * Signs a request for several trust frameworks, as JWS in JSON serialization: each signature has the client identifier
 * and its attestations in its protected header, and there only.
 *
 * @param payload With `expected_origins`, without `client_id`.
 * @see [OpenID4VP 1.0, A.3.2.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-A.3.2.2)
 */
export async function signForMany(payload: object, signers: readonly RequestSigner[]): Promise<object> {
  const encoded = toBase64url(JSON.stringify(payload))
  const signatures = signers.map(async ({ clientId, verifierInfo, header, key }) => {
    const info = verifierInfo === undefined ? {} : { verifier_info: verifierInfo }
    const full = { ...header, typ: REQUEST_OBJECT_TYPE, alg: key.alg, client_id: clientId, ...info }
    const head = toBase64url(JSON.stringify(full))
    const signature = await key.sign(Buffer.from(`${head}.${encoded}`, 'latin1'))
    return { protected: head, signature: toBase64url(signature) }
  })
  return { payload: encoded, signatures: await Promise.all(signatures) }
}

/**
 * Parses what a browser's `DigitalCredential` holds.
 *
 * @param data Its member `data`: the response parameters, or an error. [VP-D4]
 * @returns as if it had come by form; it has no `state`.
 * @throws Fault `presentation_response.invalid`
 */
export function readBrowserAnswer(protocol: string, data: unknown): ResponseForm {
  if (!Object.values<string>(exchangeProtocols).includes(protocol) || !isJsonObject(data)) {
    const detail = 'The answer is not one of OpenID4VP 1.0: it needs a known protocol, and data that is an object.'
    throw new Fault('presentation_response.invalid', { detail })
  }
  const { state: _, ...parameters } = statedMembers(data)
  return readResponse(parameters)
}
