import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyRow } from './attribute-rows.ts'
import { plainName, withMadeKeys } from './made-names.ts'

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
