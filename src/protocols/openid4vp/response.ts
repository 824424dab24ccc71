import { isJsonObject, type Json, type JsonObject, parseJson } from '../../crypto/json.ts'
import { encryptCompact, type Recipient } from '../../crypto/jwe.ts'
import { Fault, faultOf } from '../../fault.ts'
import { isText } from '../shape.ts'

/** Presentations by credential query id. */
export type VpToken = ReadonlyMap<string, readonly string[]>

/** A parsed request to the response endpoint. Untrusted: whichever client has the address can send it. */
export type ResponseForm = PlainResponse | { readonly kind: 'encrypted'; readonly jwe: string }

/** A response without encryption, or decrypted. */
export type PlainResponse =
  | { readonly kind: 'presented'; readonly vpToken: VpToken; readonly state: string | null }
  | {
      readonly kind: 'refused'
      readonly error: string
      readonly description: string | null
      readonly state: string | null
    }

const PRESENTATIONS_MAX = 50
const PRESENTATION_CHARS_MAX = 1024 * 1024
const JWE_CHARS_MAX = 2 * 1024 * 1024

/**
 * Builds the form body of a response with mode `direct_post`, or `direct_post.jwt` if there is a recipient. [VP-S2,
 * VP-S5]
 */
export function buildResponse(vpToken: VpToken, state: string | null, recipient: Recipient | null): string {
  return formOf({ vp_token: Object.fromEntries(vpToken) }, state, recipient)
}

/** Builds the form body of an error response. `error` is an OAuth code, e.g. `access_denied`. [VP-S2] */
export function buildErrorResponse(error: string, state: string | null, recipient: Recipient | null): string {
  return formOf({ error }, state, recipient)
}

/**
 * Parses the form body at the response endpoint. Unknown members are ignored, as are those without a value (RFC 6749
 * 3.1).
 *
 * NOT checked: whether `state` is the one of the request, and whether the query has these ids.
 *
 * @throws Fault `presentation_response.invalid`
 * @see [OpenID4VP 1.0, 8](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-response)
 */
export function readResponse(form: Readonly<Record<string, unknown>>): ResponseForm {
  const { vp_token: vpToken, error, error_description: description, response, state: stated } = withValue(form)
  const state = stateOf(stated)
  if (response !== undefined) {
    if (!isText(response, JWE_CHARS_MAX)) throw refused('response is not a JWE.')
    return { kind: 'encrypted', jwe: response }
  }
  if ((vpToken === undefined) === (error === undefined)) throw refused('Send exactly one of vp_token and error.')
  if (error === undefined) return { kind: 'presented', vpToken: vpTokenOf(vpToken), state }
  // RFC 6749 4.1.2.1
  if (!isText(error, 100) || /[^\x20-\x7E]/.test(error)) throw refused('error is not an error code.')
  const shown = isText(description) ? description.slice(0, 200).replace(/[^\x20-\x7E]/g, '?') : null
  return { kind: 'refused', error, description: shown, state }
}

/**
 * Returns the address to which the verifier redirects the holder's browser; null if none. The holder's app opens it,
 * never this server. [VP-S4]
 *
 * Only web addresses and private schemes in reverse domain form (`org.example.app:`) are accepted.
 */
export function readRedirect(answer: unknown): string | null {
  const uri = isJsonObject(answer) ? answer.redirect_uri : undefined
  if (!isText(uri, 4096) || !URL.canParse(uri)) return null
  return /^(https?|[a-z0-9+-]+(\.[a-z0-9+-]+)+):/i.test(uri) ? uri : null
}

/** RFC 6749 3.1: a parameter without a value is treated as if it were omitted. */
function withValue(form: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''))
}

function formOf(members: JsonObject, state: string | null, recipient: Recipient | null): string {
  const all = state === null ? members : { ...members, state }
  if (recipient !== null)
    return new URLSearchParams({ response: encryptCompact(JSON.stringify(all), recipient) }).toString()
  const texts = Object.entries(all).map(([name, one]) => [name, typeof one === 'string' ? one : JSON.stringify(one)])
  return new URLSearchParams(texts).toString()
}

function stateOf(state: unknown): string | null {
  if (state === undefined) return null
  if (!isText(state, 512)) throw refused('state is not a string.')
  return state
}

/**
 * [VP-S1] OpenID4VP 1.0, 8.1: an object, query id to a non-empty array of presentations. In the supported formats these
 * are strings.
 */
function vpTokenOf(value: unknown): VpToken {
  const token = typeof value === 'string' ? jsonOf(value) : value
  if (!isJsonObject(token) || Object.keys(token).length === 0)
    throw refused('vp_token is not a JSON object with presentations.')
  return new Map(
    Object.entries(token).map(([id, presentations]) => {
      if (!isTextsOfPresentations(presentations))
        throw refused('vp_token has a member that is not a non-empty array of strings.')
      return [id, presentations]
    }),
  )
}

function isTextsOfPresentations(value: Json): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > PRESENTATIONS_MAX) return false
  return value.every((one) => isText(one, PRESENTATION_CHARS_MAX))
}

function jsonOf(text: string): Json {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new Fault('presentation_response.invalid', { detail: 'vp_token is not well-formed JSON.', cause })
  }
}

const refused = faultOf('presentation_response.invalid')
