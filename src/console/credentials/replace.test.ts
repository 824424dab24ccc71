// A correction: the form that replaces a card begins with its values.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { html } from '../../pages/html.ts'
import { type ConsoleReader, openConsole } from '../test-support/console-reader.ts'
import { controlsOf, sentFrom } from '../test-support/form-of.ts'
import { made } from '../test-support/made.ts'

const attributes = {
  family_name: 'Molefe & "Sons"',
  grade: 78.5,
  honours: false,
  awarded_on: '2026-01-31',
  subjects: ['Algebra', 'Logic'],
  address: { locality: 'Pretoria' },
}

let opened: ConsoleReader
let template: string
let msAhead = 0
before(async () => {
  const clock = { now: () => new Date(Date.now() + msAhead) }
  opened = await openConsole(['owner'], { serversMax: 1, instead: { clock } })
  const text = { type: 'string' }
  const definition = {
    family_name: { ...text, required: true },
    grade: { type: 'number' },
    honours: { type: 'boolean' },
    awarded_on: { type: 'date' },
    subjects: { type: 'array', items: text },
    address: { type: 'object', properties: { locality: text } },
  }
  const body = { name: 'Diploma', code: 'diploma', attributes: definition }
  template = (await made(opened.acme, '/creds/templates/credentials', body)).id
})
after(() => opened.chirograph.stop())

async function offered(more: object = {}): Promise<string> {
  const body = { credentialTemplateId: template, attributes, ...more }
  return (await opened.acme.post('/creds/credentials/issuance', body)).body.data.id
}

test('what is sent without a change says what the old card says, and a change makes the new one', async () => {
  const id = await offered()
  const page = await opened.read(`/issue/${template}?replaces=${id}`)
  const fields = new Map(sentFrom(controlsOf(Object.assign(html``, { text: page }))))
  fields.set('value-grade', ['79,5'])
  const body = new URLSearchParams([...fields].flatMap(([name, values]) => values.map((value) => [name, value])))
  const headers = { cookie: opened.cookie, origin: opened.chirograph.url }
  const action = `${opened.chirograph.url}/console/issue/${template}`
  const { status } = await fetch(action, { method: 'POST', body, headers, redirect: 'manual' })
  assert.equal(status, 303)
  const [made] = (await opened.acme.get('/creds/credentials/issuance?page[size]=1')).body.data
  assert.equal(made.replaces.issuanceId, id)
  const { data } = (await opened.acme.get(`/creds/credentials/issuance/${made.id}/attributes`)).body
  assert.deepEqual(data.attributes, { ...attributes, grade: 79.5 })
})

test('where the values were erased the form is empty and says why', async () => {
  const id = await offered({ expiresInSeconds: 60 })
  assert.doesNotMatch(await opened.read(`/issue/${template}?replaces=${id}`), /Enter all its values/)
  msAhead = 61_000
  const page = await opened.read(`/issue/${template}?replaces=${id}`)
  msAhead = 0
  assert.match(page, /Enter all its values/)
  assert.doesNotMatch(page, /Molefe &/)
})
