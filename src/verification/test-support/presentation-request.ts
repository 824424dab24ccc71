import assert from 'node:assert/strict'
import { aKey, anIssuer, type Binding, type Issuer, membership, present } from './holder.ts'
import { type Backend, postForm, send, type Verifier } from './verifier.ts'

/** The issuer that requests accept by default. */
export const issuer = anIssuer()
const holder = aKey()
/** The claims of credentials by default. */
export const claims = {
  given_name: 'Zoë',
  family_name: 'Dube',
  level: 7,
  since: '2019-05-01',
  address: { locality: 'Mthatha', street: 'Main' },
}
/** The attributes of requests by default. */
export const attributes = { given_name: {}, address: { properties: { locality: { type: 'string' } } } }

/** Differences from the default request. */
type RequestOptions = {
  readonly credential?: object
  readonly template?: object
  readonly request?: object
  readonly backend?: Backend
}

/** Creates a request; returns its request object, and functions that respond to it and read its result. */
export async function aRequest(
  verifier: Pick<Verifier, 'aTenant'>,
  { credential = {}, template = {}, request = {}, backend }: RequestOptions = {},
) {
  const { ask, slug, tenantId } = backend ?? (await verifier.aTenant())
  const made = await ask('POST', '/templates/presentations', {
    name: 'Members',
    description: '',
    credentials: [{ type: membership, name: 'card', attributes, issuers: [issuer.did], ...credential }],
    ...template,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const opened = await ask('POST', '/presentations/request', { presentationTemplateId: made.body.data.id, ...request })
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  const { authorizationRequestUri, authorizationRequestReferenceUri: link = authorizationRequestUri } = opened.body.data
  const requestUri = new URL(link).searchParams.get('request_uri') ?? ''
  const object = await payloadAt(requestUri)
  const { id } = opened.body.data
  return {
    ask,
    slug,
    tenantId,
    id,
    requestUri,
    object,
    nonce: String(object.nonce),
    aud: String(object.client_id),
    answer: (vpToken: unknown, more: Record<string, string> = {}) =>
      postForm(String(object.response_uri), {
        vp_token: JSON.stringify(vpToken),
        state: String(object.state),
        ...more,
      }),
    opened: opened.body.data,
    result: async () => (await ask('GET', `/presentations/${id}`)).body.data,
  }
}

/** Returns the claims of the request object at a URL. */
export async function payloadAt(requestUri: string): Promise<Record<string, unknown>> {
  const { status, body } = await send(requestUri)
  assert.equal(status, 200, JSON.stringify(body))
  return part(body, 1)
}

/** Returns a decoded part of a compact JWS. */
export function part(jwt: string, index: number) {
  return JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())
}

/** Differences from a valid presentation. */
export type Tampering = {
  readonly names?: readonly string[]
  readonly binding?: Partial<Binding> | null
  readonly about?: Parameters<Issuer['issue']>[1]
  readonly by?: Issuer
  readonly claims?: Record<string, unknown>
}

/** Issues a credential and returns a presentation of it for a request. */
export async function aPresentation(
  { nonce, aud }: { nonce: string; aud: string },
  tampering: Tampering = {},
): Promise<string> {
  const credential = await (tampering.by ?? issuer).issue(tampering.claims ?? claims, {
    cnf: holder.jwk,
    ...tampering.about,
  })
  const binding = tampering.binding === null ? null : { nonce, aud, key: holder, ...tampering.binding }
  return present(credential, tampering.names ?? ['given_name', 'address'], binding)
}
