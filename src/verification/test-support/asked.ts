import assert from 'node:assert/strict'
import { aKey, anIssuer, type Binding, type Issuer, membership, present } from './holder.ts'
import { type Backend, postForm, send, type Verifier } from './verifier.ts'

/** The issuer that requests accept unless told. */
export const issuer = anIssuer()
const holder = aKey()
/** What credentials say unless told. */
export const claims = {
  given_name: 'Zoë',
  family_name: 'Dube',
  level: 7,
  since: '2019-05-01',
  address: { locality: 'Mthatha', street: 'Main' },
}
/** What requests ask for unless told. */
export const attributes = { given_name: {}, address: { properties: { locality: { type: 'string' } } } }

/** What a test wants otherwise. */
type Wanted = {
  readonly credential?: object
  readonly template?: object
  readonly request?: object
  readonly backend?: Backend
}

/** What a wallet learns by fetching the request object, and what the backend sees. */
export async function aRequest(
  verifier: Verifier,
  { credential = {}, template = {}, request = {}, backend }: Wanted = {},
) {
  const { ask, slug, tenantId } = backend ?? (await verifier.aTenant())
  const made = await ask('POST', '/templates/presentations', {
    ...{ name: 'Members', description: '' },
    credentials: [{ type: membership, name: 'card', attributes, issuers: [issuer.did], ...credential }],
    ...template,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const opened = await ask('POST', '/presentations/request', { presentationTemplateId: made.body.data.id, ...request })
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  const requestUri = new URL(opened.body.data.authorizationRequestUri).searchParams.get('request_uri') ?? ''
  const object = await payloadAt(requestUri)
  const { id } = opened.body.data
  return {
    ...{ ask, slug, tenantId, id, requestUri, object },
    nonce: String(object.nonce),
    aud: String(object.client_id),
    answer: (vpToken: unknown, more: Record<string, string> = {}) =>
      postForm(String(object.response_uri), {
        vp_token: JSON.stringify(vpToken),
        state: String(object.state),
        ...more,
      }),
    result: async () => (await ask('GET', `/presentations/${id}`)).body.data,
  }
}

/** The claims of the request object at an address. */
export async function payloadAt(requestUri: string): Promise<Record<string, unknown>> {
  const { status, body } = await send(requestUri)
  assert.equal(status, 200, JSON.stringify(body))
  return part(body, 1)
}

/** One part of a compact JWS. */
export function part(jwt: string, index: number) {
  return JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())
}

/** What a test spoils. */
export type Spoilt = {
  readonly names?: readonly string[]
  readonly binding?: Partial<Binding> | null
  readonly about?: Parameters<Issuer['issue']>[1]
  readonly by?: Issuer
  readonly claims?: Record<string, unknown>
}

/** A presentation of a fresh credential for a request. */
export async function aPresentation(
  { nonce, aud }: { nonce: string; aud: string },
  spoilt: Spoilt = {},
): Promise<string> {
  const credential = await (spoilt.by ?? issuer).issue(spoilt.claims ?? claims, { cnf: holder.jwk, ...spoilt.about })
  const binding = spoilt.binding === null ? null : { nonce, aud, key: holder, ...spoilt.binding }
  return present(credential, spoilt.names ?? ['given_name', 'address'], binding)
}
