// What a program in TypeScript does with a client by openapi-typescript and openapi-fetch. It is compiled, never run.
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi-typescript.d.ts'

const client = createClient<paths>({ baseUrl: 'https://credentials.example.org' })

const list = await client.GET('/creds/credentials', { params: { query: { 'page[size]': 10 } } })
if (list.error !== undefined) throw new Error(list.error.errors[0]?.detail)
const ids: readonly string[] = list.data.data.map(({ id }) => id)

const body = { credentialTemplateId: ids[0] ?? '', items: [{ attributes: {} }] }
const batch = await client.POST('/creds/credentials/issuance/batch', { body })
// With `check=true` it would be what was found, without an id.
const made = batch.data?.data
const batchId: string | undefined = made !== undefined && 'id' in made ? made.id : undefined

const endpoint = await client.POST('/creds/endpoints', { body: { url: 'https://crm.example/hooks' } })
const secret: string | undefined = endpoint.data?.data.secret

// Codes and types of later releases are texts too.
const later: { code: components['schemas']['ErrorCode']; type: components['schemas']['EventType'] } = {
  code: 'LATER',
  type: 'later.added',
}
console.log({ batchId, secret, later })
