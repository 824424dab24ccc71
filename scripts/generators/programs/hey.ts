// What a program in TypeScript does with a client by @hey-api/openapi-ts. It is compiled, never run.
import { createIssuanceBatch, createWebhookEndpoint, listIssuances } from './hey/index.ts'

const list = await listIssuances({ query: { 'page[size]': 10 }, throwOnError: true })
const ids: readonly string[] = list.data.data.map(({ id }) => id)

const body = { credentialTemplateId: ids[0] ?? '', items: [{ attributes: {} }] }
const batch = await createIssuanceBatch({ body, throwOnError: true })

const endpoint = await createWebhookEndpoint({ body: { url: 'https://crm.example/hooks' }, throwOnError: true })
const secret: string = endpoint.data.data.secret

// With `check=true` it would be what was found, without an id.
const made = batch.data.data
const batchId: string | null = 'id' in made ? made.id : null

console.log({ batchId, secret })
