import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiRefusal } from '../../pages/own-api.ts'
import { problemsOf } from './form-values.ts'
import { consoleTexts } from './texts.ts'

const t = consoleTexts.en
const entry = { id: 'e1', status: '400', code: 'request.invalid', title: 'Invalid', detail: 'Its own sentence.' }

function refusal(status: number, ...rules: readonly string[]): ApiRefusal {
  const errors = rules.map((rule) => ({ ...entry, pointer: '/name', rule }))
  return new ApiRefusal(status, errors as never)
}

const found = (error: unknown) => problemsOf(error, (pointer) => pointer.slice(1), t)

test('a refusal that a rule of a form explains is shown at its field, whatever its status', () => {
  const words = t.rules['presentation_template.unknown']
  assert.deepEqual(found(refusal(403, 'presentation_template.unknown')), { fields: { name: words } })
  assert.deepEqual(found(refusal(400, 'no.such_rule')), { fields: { name: 'Its own sentence.' } })
})

for (const [what, error] of [
  ['a server that is not available', refusal(503, 'database.unavailable')],
  ['a refusal without a finding', refusal(403)],
  ['a rule of a form beside one of the server', refusal(503, 'presentation_template.unknown', 'database.unavailable')],
  ['no refusal of the API', new TypeError('fetch failed')],
] as const) {
  test(`${what} is no problem of a form: it is thrown on`, () => {
    assert.throws(
      () => found(error),
      (thrown) => thrown === error,
    )
  })
}
