import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { issuedPositions, type LocatedClaims, locate, locateInMdoc } from './claims-path.ts'

const file = new URL('../../../test/vectors/data/dcql/claims-path-pointer.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8'))
const values = (located: LocatedClaims) => (typeof located === 'string' ? located : located.map((one) => one.value))

for (const { path, selected, error } of vectors.cases) {
  test(`pointer ${JSON.stringify(path)} ${error ? 'is an error' : 'selects what the spec says'}`, () => {
    const located = locate(vectors.credential, path)
    if (error) assert.equal(typeof located, 'string')
    else assert.deepEqual(values(located), selected)
  })
}

test('an absent key drops its element, the others stay (7.1.1)', () => {
  assert.deepEqual(values(locate({ a: [{ b: 1 }, {}, { b: 3 }] }, ['a', null, 'b'])), [1, 3])
})

test('one element of another kind makes the whole pointer an error (7.1.1)', () => {
  assert.equal(locate({ a: [{ b: 1 }, 'text'] }, ['a', null, 'b']), 'mismatch')
})

test('what an object inherits is not a claim', () => {
  for (const key of ['constructor', '__proto__', 'toString']) assert.equal(locate({}, [key]), 'missing')
})

test('every selected element tells where it stands', () => {
  const located = locate({ a: [[1], [2, 3]] }, ['a', null, null])
  assert.deepEqual(typeof located === 'string' ? located : located.map((one) => one.path), [
    ['a', 0, 0],
    ['a', 1, 0],
    ['a', 1, 1],
  ])
})

test('an index means the array as issued, also where undisclosed elements are gone', () => {
  const nationalities = ['DE', 'ZA']
  const positions = issuedPositions({ nationalities }, [{ path: ['nationalities'], issued: [1, 3] }])
  const at = (step: number) => values(locate({ nationalities }, ['nationalities', step], positions))
  assert.deepEqual([at(1), at(3)], [['DE'], ['ZA']])
  assert.deepEqual([at(0), at(2)], ['missing', 'missing'])
  assert.deepEqual(locate({ nationalities }, ['nationalities', null], positions), [
    { value: 'DE', path: ['nationalities', 1] },
    { value: 'ZA', path: ['nationalities', 3] },
  ])
})

for (const [what, path, expected] of [
  ['a namespace and an element', ['ns', 'age'], [30]],
  ['an element that is not there', ['ns', 'name'], 'missing'],
  ['a namespace that is not there', ['other', 'age'], 'missing'],
  ['one step only (7.2)', ['ns'], 'mismatch'],
  ['three steps (7.2)', ['ns', 'age', 'x'], 'mismatch'],
  ['an index (7.2)', ['ns', 0], 'mismatch'],
] as const) {
  test(`an mdoc pointer with ${what}`, () =>
    assert.deepEqual(values(locateInMdoc({ ns: { age: 30 } }, path)), expected))
}

const licence = 'org.iso.18013.5.1'
for (const [what, elements, found] of [
  ['itself', { 18: false, 21: true }, ['age_over_18', false]],
  ['the true one with the lowest age above', { 16: false, 25: true, 21: true }, ['age_over_21', true]],
  ['a false one above never', { 21: false }, null],
  ['the false one with the highest age below', { 10: false, 16: false, 21: false }, ['age_over_16', false]],
  ['a true one below never', { 16: true }, null],
  ['a true one above rather than a false one below', { 16: false, 21: true }, ['age_over_21', true]],
  ['one that is no boolean never', { 21: 1, 16: 0 }, null],
] as const)
  test(`age_over_18 of a driving licence is answered by ${what} (ISO/IEC 18013-5, 7.2.5)`, () => {
    const ages = Object.fromEntries(Object.entries(elements).map(([age, isOver]) => [`age_over_${age}`, isOver]))
    const located = locateInMdoc({ [licence]: ages }, [licence, 'age_over_18'])
    assert.deepEqual(located, found === null ? 'missing' : [{ path: [licence, found[0]], value: found[1] }])
    if (found === null || found[0] === 'age_over_18') return
    // Other namespaces define their own elements.
    assert.equal(locateInMdoc({ ns: ages }, ['ns', 'age_over_18']), 'missing')
  })

test('only age attestations of two digits are nearest to one another', () => {
  const ages = { age_over_021: true, age_over_210: true, age_over_: true, age_in_years: 30 }
  assert.equal(locateInMdoc({ [licence]: ages }, [licence, 'age_over_18']), 'missing')
  assert.equal(locateInMdoc({ [licence]: { age_over_21: true } }, [licence, 'age_over_5']), 'missing')
})
