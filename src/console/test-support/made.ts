import assert from 'node:assert/strict'
import type { Api, Reply } from '../../../test/support/server.ts'

/** Returns what the API created. @throws AssertionError when it refused */
export async function made(api: Api, path: string, body: object): Promise<Reply['body']> {
  const reply = await api.post(path, body)
  assert(reply.status >= 200 && reply.status < 300, `${path} ${JSON.stringify(reply.body)}`)
  return reply.body.data
}
