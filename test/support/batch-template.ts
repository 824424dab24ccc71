import assert from 'node:assert/strict'
import type { Api } from './server.ts'

let made = 0

/** Creates a template with an attribute of each type, as tables fill them. @returns its id */
export async function aBatchTemplate(school: Api, more: object = {}): Promise<string> {
  made += 1
  const reply = await school.post('/creds/templates/credentials', {
    name: 'Diploma',
    code: `diploma-${made}`,
    attributes: {
      name: { type: 'string', required: true },
      grade: { type: 'number' },
      honours: { type: 'boolean' },
      born: { type: 'date' },
      address: { type: 'object', properties: { locality: { type: 'string' }, code: { type: 'number' } } },
      nationalities: { type: 'array', items: { type: 'string' } },
      reference: { type: 'string' },
    },
    ...more,
  })
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.data.id
}
