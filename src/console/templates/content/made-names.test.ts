import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formWith } from '../form.ts'
import { emptyRow } from './attribute-rows.ts'
import { plainName, withMadeKeys, withMadeNamespaces } from './made-names.ts'

for (const [text, name] of [
  ['Family name', 'family_name'],
  ['  Date of birth (ISO) ', 'date_of_birth_iso'],
  ['Prénom & Nom', 'prenom_nom'],
  ['Straße', 'strasse'],
  ['Ñandú №7', 'nandu_7'],
  ['Größe', 'groesse'],
  ['Übungsleiter-Lizenz', 'uebungsleiter_lizenz'],
  ['Cœur', 'coeur'],
  ['Łódź', 'lodz'],
  ['姓', ''],
  ['', ''],
] as const)
  test(`the technical name of “${text}” is “${name}”`, () => assert.equal(plainName(text, '_'), name))

test('rows get names of their own among those beside them; names that are there stay', () => {
  const rows = [
    { ...emptyRow, key: 'name', name: 'Given' },
    { ...emptyRow, name: 'Name' },
    { ...emptyRow, name: 'Address', type: 'object' },
    { ...emptyRow, depth: 1, name: 'Name' },
    { ...emptyRow, depth: 1, name: '姓' },
    { ...emptyRow, depth: 1, name: '名' },
    { ...emptyRow, name: 'NAME!' },
    { ...emptyRow, key: 'name_2' },
    emptyRow,
    { ...emptyRow, type: 'namespace', name: 'x' },
  ]
  assert.deepEqual(
    withMadeKeys(rows).map(({ key }) => key),
    ['name', 'name_3', 'address', 'name', 'attribute', 'attribute_2', 'name_4', 'name_2', '', ''],
  )
})

test('a namespace without a name gets that of the document type, which is no attribute’s', () => {
  const namespace = { ...emptyRow, type: 'namespace' }
  const rows = [namespace, { ...emptyRow, depth: 1 }, { ...namespace, key: 'org.example.a' }, namespace, namespace]
  const keysFor = (docType: string) => withMadeNamespaces(rows, docType).map(({ key }) => key)
  assert.deepEqual(keysFor('org.example.b'), [
    'org.example.b',
    '',
    'org.example.a',
    'org.example.b.2',
    'org.example.b.3',
  ])
  assert.deepEqual(keysFor('org.example.a'), [
    'org.example.a.2',
    '',
    'org.example.a',
    'org.example.a.3',
    'org.example.a.4',
  ])
  assert.equal(keysFor('org.iso.18013.5.1.mDL')[0], 'org.iso.18013.5.1')
  assert.deepEqual(keysFor(''), ['', '', 'org.example.a', '', ''])
})

for (const format of ['sd-jwt-vc', 'mdoc'] as const)
  test(`no technical name is required in the form of a template: ${format}`, () => {
    const form = formWith({ current: null, sources: { endpoints: null, providers: null } })
    const typed = {
      format,
      docType: 'org.example.badge',
      name: 'Badge',
      rows: '2',
      'label-0': 'Straße',
      'label-1': 'Ort',
    }
    const draft = form.read(new Map(Object.entries(typed).map(([name, value]) => [name, [value]])))
    const attributes = { strasse: { type: 'string', name: 'Straße' }, ort: { type: 'string', name: 'Ort' } }
    const { code, attributes: named } = form.body(draft) as { readonly code: string; readonly attributes: object }
    assert.deepEqual([code, named], ['badge', format === 'mdoc' ? { 'org.example.badge': attributes } : attributes])
  })

for (const [name, key] of [
  ['Status', 'status_value'],
  ['Exp.', 'exp_value'],
  ['2. Vorname', 'no_2_vorname'],
  ['Ισχύει', 'attribute'],
  ['Matrikel-Nr.', 'matrikel_nr'],
  ['N° étudiant', 'n_etudiant'],
] as const)
  test(`an attribute “${name}” gets the technical name “${key}”`, () =>
    assert.deepEqual(
      withMadeKeys([{ ...emptyRow, name }]).map((row) => row.key),
      [key],
    ))
