// What is seldom changed of a template is closed, tells what is set in it, and is open where something is wrong.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noProblems, type Problems } from '../frame/form-values.ts'
import { offlineFrame } from '../test-support/form-of.ts'
import { emptyRow } from './content/attribute-rows.ts'
import { blank, type Draft } from './draft.ts'
import { formWith } from './form.ts'
import { starts } from './starts.ts'
import { templateTexts } from './texts.ts'

const draw = (draft: Draft, problems: Problems = noProblems) =>
  formWith({ current: null, sources: { endpoints: null, providers: null } }).draw(
    offlineFrame('en'),
    draft,
    problems,
    true,
  ).text

/** Whether each group around a field is open; null: there is no such field. */
function isSeen(html: string, id: string): boolean | null {
  const at = html.indexOf(` id="${id}"`)
  if (at < 0) return null
  const around: boolean[] = []
  for (const [tag] of html.slice(0, at).matchAll(/<details[^>]*>|<\/details>/g)) {
    if (tag === '</details>') around.pop()
    else around.push(/ open/.test(tag))
  }
  return around.every((isOpen) => isOpen)
}

const seen = ['name', 'description', 'back', 'label-0', 'type-0', 'always-0', 'named-0']
const hidden = ['code', 'docType', 'ink', 'logoFile', 'pictureFile', 'required-0', 'card-0', 'key-0', 'about-0']

test('name, colour, and of an attribute name, kind, whether it is shown and names the card are seen, all else is not', () => {
  const html = draw(starts.diploma(templateTexts.en))
  for (const id of seen) assert.equal(isSeen(html, id), true, id)
  for (const id of [...hidden, 'locale', 'until', 'signer']) assert.equal(isSeen(html, id), false, id)
})

for (const id of [...hidden, 'label0-0', 'locale', 'until', 'signer'])
  test(`what is wrong at ${id} is seen`, () => {
    const languages = [{ locale: 'fr', name: 'Carte', about: '' }]
    const html = draw({ ...blank, languages }, { fields: { [id]: 'wrong' } })
    assert.equal(isSeen(html, id), true)
  })

test('what opens the fields says what is set in them', () => {
  const told = (draft: Draft) =>
    [...draw(draft).matchAll(/<summary>.*? <span class="hint">(.*?)<\/span>/g)].map((one) => one[1])
  assert.deepEqual(told(blank).slice(0, 3), ['SD-JWT VC · Can be revoked and suspended', '', ''])
  const row = { ...emptyRow, key: 'k', name: 'Name', isRequired: true, isOnCard: true, about: 'x', names: ['Nom'] }
  const plain = { ...blank.plain, revocable: [], ink: ['#000000'] }
  const languages = [{ locale: 'fr', name: '', about: '' }]
  const set: Draft = { ...blank, plain, languages, rows: [row], logo: 'https://x.example/a.png' }
  assert.deepEqual(told(set).slice(0, 3), [
    'SD-JWT VC',
    'Always filled in · On the card · What it means · French',
    'Colour of the text: #000000 · Logo',
  ])
})
