import { type Json, text } from '../demo/json.ts'
import type { Client } from './measure.ts'

/** Users who receive credentials: a wallet holds at most 1,000. */
export const receivers = Array.from({ length: 10 }, (_, at) => `receiver-${at}`)

/** Secret of the one client in the bench; the server is gone a minute later. */
export const secret = 'a-secret-for-the-bench-only-0123456789abcdef'

/** One organisation whose backend issues, verifies, and acts for two people: one who receives, one who presents. */
export const bootstrap = {
  tenants: [
    {
      slug: 'acme',
      name: 'Acme College',
      clients: [{ clientId: 'acme-backend', clientSecret: secret, scopes: ['tenant:admin', 'users:impersonate'] }],
      users: [...receivers, 'presenter'].map((username) => ({ username, enabled: true })),
    },
  ],
}

const client = { client_id: 'acme-backend', client_secret: secret }

/** A token of the backend; good for 300 s. */
export async function backendToken({ send }: Client): Promise<string> {
  return text(
    await send('POST', '/auth/token', { form: { grant_type: 'client_credentials', ...client } }),
    'access_token',
  )
}

/** A token for the wallet of a person. */
export async function walletToken({ send }: Client, username: string, backend: string): Promise<string> {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: backend,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    requested_subject: username,
    ...client,
  }
  return text(await send('POST', '/auth/token', { form }), 'access_token')
}

/** The credential that is issued over and over: ten claims, each of which can be disclosed alone. */
export const template: Json = {
  name: 'Diploma',
  code: 'diploma',
  attributes: Object.fromEntries(
    Array.from({ length: 10 }, (_, i) => [`claim_${i}`, { type: 'string', required: true }] as const),
  ),
}

/** Its claims. */
export const attributes: Json = Object.fromEntries(
  Array.from({ length: 10 }, (_, i) => [`claim_${i}`, `value number ${i}`] as const),
)

/** Creates the template. @returns its id and type. */
export async function createTemplate({ send }: Client, token: string): Promise<{ id: string; type: string }> {
  const made = await send('POST', '/creds/templates/credentials', { token, json: template })
  return { id: text(made, 'data', 'id'), type: text(made, 'data', 'type') }
}

/** Opens an issuance. @returns its id and the offer. */
export async function openIssuance(
  { send }: Client,
  token: string,
  templateId: string,
): Promise<{ id: string; offerUri: string }> {
  const json = { credentialTemplateId: templateId, attributes }
  const made = await send('POST', '/creds/credentials/issuance', { token, json })
  return { id: text(made, 'data', 'id'), offerUri: text(made, 'data', 'offerUri') }
}
