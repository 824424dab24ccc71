import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../../fault.ts'
import type { TokenForm } from '../token-request.ts'

/** The credentials of a client in a request, not yet verified. */
export type ClientProof =
  | { readonly method: 'secret'; readonly clientId: string; readonly secret: string }
  | { readonly method: 'assertion'; readonly assertion: string; readonly clientId: string | null }
  | { readonly method: 'none'; readonly clientId: string }

/** The assertion type of private_key_jwt. @see [RFC 7523, 2.2](https://www.rfc-editor.org/rfc/rfc7523#section-2.2) */
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * Returns the client authentication of a request.
 *
 * @throws Fault `request.invalid` if it uses several, `client.unauthenticated` if it names no client or is malformed.
 * @see [RFC 6749, 2.3](https://www.rfc-editor.org/rfc/rfc6749#section-2.3)
 */
export function readClientProof({ authorization }: IncomingHttpHeaders, form: TokenForm): ClientProof {
  const clientId = form.client_id || null
  const proofs: ClientProof[] = []
  if (authorization !== undefined) proofs.push(readBasic(authorization))
  if (form.client_secret) proofs.push(posted(clientId, form.client_secret))
  if (form.client_assertion || form.client_assertion_type) proofs.push(asserted(clientId, form))
  const [proof, second] = proofs
  // RFC 6749 2.3: a client uses no more than one method in a request
  if (second !== undefined) {
    throw new Fault('request.invalid', { detail: 'Use one method of client authentication, not several.' })
  }
  // RFC 6749 3.2.1: a public client names itself
  if (proof === undefined && clientId !== null) return { method: 'none', clientId }
  if (proof === undefined)
    throw new Fault('client.unauthenticated', {
      detail: 'The request names no client: send client_id, or authenticate.',
    })
  if (clientId !== null && proof.clientId !== null && proof.clientId !== clientId) {
    throw new Fault('request.invalid', { detail: 'client_id names another client than the authentication.' })
  }
  return proof
}

function readBasic(authorization: string): ClientProof {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1]
  if (encoded === undefined)
    throw new Fault('client.unauthenticated', { detail: 'The Authorization header is not Basic.' })
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) throw new Fault('client.unauthenticated', { detail: 'The Basic credentials are malformed.' })
  return { method: 'secret', clientId: formDecoded(text.slice(0, colon)), secret: formDecoded(text.slice(colon + 1)) }
}

/** What form encoders leave or write. */
const FORM_ENCODED = /^(?:[\w.*~!'()+-]|%[\da-f]{2})*$/i

/**
 * RFC 6749 2.3.1: both halves are form-encoded before they are joined. Many clients join them as they are: where an
 * encoder would have escaped a character, such as the `=` of a secret in base64, the text is what it says.
 */
function formDecoded(text: string): string {
  if (!FORM_ENCODED.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function posted(clientId: string | null, secret: string): ClientProof {
  if (clientId === null) throw new Fault('request.invalid', { detail: 'client_id is missing.' })
  return { method: 'secret', clientId, secret }
}

function asserted(clientId: string | null, form: TokenForm): ClientProof {
  // RFC 7521 4.2: both parameters, with a supported type
  if (!form.client_assertion || form.client_assertion_type !== JWT_BEARER) {
    const detail = `client_assertion requires client_assertion_type ${JWT_BEARER}.`
    throw new Fault('request.invalid', { detail })
  }
  return { method: 'assertion', assertion: form.client_assertion, clientId }
}
