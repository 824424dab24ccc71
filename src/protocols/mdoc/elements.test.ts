import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { certificate, licence, licenceRules } from '../../../test/support/mdoc.ts'
import type { Json } from '../../crypto/json.ts'
import { type Cbor, tagged } from '../cbor/value.ts'
import { checkMdlElements, checkMdlRules } from './check-mdl.ts'
import { mdocClaims, toJson } from './claims.ts'
import { type ElementRule, toElements } from './element-type.ts'
import { mdl } from './mdl.ts'

const convert = (rule: ElementRule, value: Json) => {
  const { elements, violations } = toElements({ n: { e: rule } }, { n: { e: value } })
  return violations.length > 0 ? violations : elements.get('n')?.get('e')
}
const dates: ElementRule = { type: 'array', items: { type: 'map', properties: { on: { type: 'full-date' } } } }

describe('a value', () => {
  for (const [rule, value, made] of [
    [{ type: 'string' }, '', ''],
    [{ type: 'number' }, 0, 0],
    [{ type: 'number' }, -3, -3],
    [{ type: 'number' }, 1.5, { float: 1.5 }],
    [{ type: 'number' }, 2 ** 60, { float: 2 ** 60 }],
    [{ type: 'boolean' }, false, false],
    [{ type: 'full-date' }, '2024-02-29', tagged(1004, '2024-02-29')],
    [{ type: 'tdate' }, '2024-02-29T23:59:59Z', tagged(0, '2024-02-29T23:59:59Z')],
    [{ type: 'bytes' }, 'AQI', Buffer.from([1, 2])],
    [{ type: 'array' }, [1, 'a', null], [1, 'a', null]],
    [{ type: 'map' }, { a: { b: true } }, new Map([['a', new Map([['b', true]])]])],
    [dates, [{ on: '2024-01-01' }], [new Map([['on', tagged(1004, '2024-01-01')]])]],
  ] as readonly (readonly [ElementRule, Json, Cbor])[]) {
    test(`${JSON.stringify(value)} of the type ${rule.type} becomes what it should [MD-8]`, () =>
      assert.deepEqual(convert(rule, value), made))
  }

  for (const [rule, value] of [
    [{ type: 'string' }, 1],
    [{ type: 'string' }, '\ud800'],
    [{ type: 'string' }, null],
    [{ type: 'number' }, '1'],
    [{ type: 'boolean' }, 0],
    [{ type: 'full-date' }, '2023-02-29'],
    [{ type: 'full-date' }, '2023-2-9'],
    [{ type: 'full-date' }, '2023-02-09T00:00:00Z'],
    [{ type: 'tdate' }, '2024-02-29T23:59:59.5Z'],
    [{ type: 'tdate' }, '2024-02-29T23:59:59+01:00'],
    [{ type: 'tdate' }, '2024-02-30T00:00:00Z'],
    [{ type: 'tdate' }, '2024-02-29'],
    [{ type: 'bytes' }, 'AQI='],
    [{ type: 'array' }, {}],
    [{ type: 'array', items: { type: 'string' } }, ['a', 1]],
    [{ type: 'map' }, []],
    [dates, [{ on: 'yesterday' }]],
    [dates, [{ at: '2024-01-01' }]],
    [{ type: 'array' }, [[[[[[[[[[[[[1]]]]]]]]]]]]]],
  ] as readonly (readonly [ElementRule, Json])[]) {
    test(`${JSON.stringify(value)} of the type ${rule.type} is a violation`, () => {
      const violations = convert(rule, value)
      assert(Array.isArray(violations) && violations.length === 1 && violations[0].pointer.startsWith('/n/e'))
    })
  }

  test('that the template does not know is a violation, and its pointer is escaped', () => {
    const pointers = (values: { [name: string]: Json }) =>
      toElements({ n: {} }, values).violations.map((one) => one.pointer)
    assert.deepEqual(pointers({ n: { 'a/b~': 1 } }), ['/n/a~1b~0'])
    assert.deepEqual(pointers({ toString: {}, m: 1 }), ['/toString', '/m'])
    assert.deepEqual(pointers({ n: [] }), ['/n'])
  })
})

test('a CBOR value is shown as JSON: dates as texts, bytes as base64url, what JSON cannot say as text or null', () => {
  const values: readonly (readonly [Cbor, Json])[] = [
    [tagged(1004, '2024-01-01'), '2024-01-01'],
    [Buffer.from([255]), '_w'],
    [2n ** 60n, '1152921504606846976'],
    [{ float: 0.5 }, 0.5],
    [{ float: Number.NaN }, null],
    [undefined, null],
    [new Map<number | string, Cbor>([[1, [true]]]), { '1': [true] }],
    [{ encoded: Buffer.from([0]) }, 'AA'],
  ]
  for (const [value, json] of values) assert.deepEqual(toJson(value), json)
  const nameSpaces = new Map([['n', [{ elementIdentifier: 'e', elementValue: 1 }]]])
  assert.deepEqual(mdocClaims(nameSpaces), { n: { e: 1 } })
})

const rules = licenceRules[mdl.nameSpace] ?? {}
const own = toElements(licenceRules, licence).elements.get(mdl.nameSpace) ?? new Map<string, Cbor>()
const withElement = (name: string, value: Cbor) =>
  checkMdlElements(mdl.docType, new Map([[mdl.nameSpace, new Map([...own, [name, value]])]]), certificate)

describe('the mDL namespace', () => {
  test('of a complete licence has no violation, nor has another document type [MD-8]', () => {
    assert.deepEqual(checkMdlRules(mdl.docType, licenceRules), [])
    assert.deepEqual(checkMdlElements(mdl.docType, new Map([[mdl.nameSpace, own]]), certificate), [])
    assert.deepEqual(checkMdlRules('other', {}), [])
    assert.deepEqual(checkMdlElements('other', new Map(), certificate), [])
    assert.equal(checkMdlRules(mdl.docType, {}).length, 11)
  })

  for (const [name, rule] of [
    ['portrait', { type: 'string' }],
    ['birth_date', { type: 'tdate' }],
    ['age_over_18', { type: 'number' }],
    ['shoe_size', { type: 'number' }],
  ] as const) {
    test(`refuses a template with ${name} of the type ${rule.type} [MD-8]`, () => {
      const found = checkMdlRules(mdl.docType, { [mdl.nameSpace]: { ...rules, [name]: rule } })
      assert.deepEqual(
        found.map((one) => one.pointer),
        [`/${mdl.nameSpace}/${name}`],
      )
    })
  }

  for (const [name, value] of [
    ['sex', 9],
    ['height', 0],
    ['age_over_65', false],
    ['family_name_national_character', '王'],
    ['issuing_jurisdiction', 'NL-UT'],
    ['portrait', Buffer.from('0000000c6a5020200d0a870a00', 'hex')],
    ['driving_privileges', []],
  ] as readonly (readonly [string, Cbor])[]) {
    test(`accepts ${name} ${JSON.stringify(toJson(value))}`, () => assert.deepEqual(withElement(name, value), []))
  }
})

describe('the mDL namespace', () => {
  for (const [name, value] of [
    ['family_name', '王'],
    ['family_name', 'a\nb'],
    ['family_name', ''],
    ['family_name', 'a'.repeat(151)],
    ['birth_date', '1990-02-28'],
    ['birth_date', tagged(1004, '1990-02-31')],
    ['birth_date', tagged(0, '1990-02-28T00:00:00Z')],
    ['sex', 3],
    ['height', -1],
    ['height', { float: 1.5 }],
    ['shoe_size', 42],
    ['portrait', Buffer.from('GIF89a')],
    ['driving_privileges', [new Map([['category', 'B']])]],
    [
      'driving_privileges',
      [
        new Map<string, Cbor>([
          ['vehicle_category_code', 'B'],
          ['issue_date', '2010-01-01'],
        ]),
      ],
    ],
    [
      'driving_privileges',
      [
        new Map<string, Cbor>([
          ['vehicle_category_code', 'B'],
          ['codes', ['01']],
        ]),
      ],
    ],
    ['issuing_country', 'DE'],
    ['issuing_jurisdiction', 'NL-NH'],
  ] as readonly (readonly [string, Cbor])[]) {
    test(`refuses ${name} ${JSON.stringify(toJson(value)).slice(0, 60)} [MD-8] [MD-9]`, () => {
      const found = withElement(name, value)
      assert.deepEqual(
        found.map((one) => one.pointer),
        [`/${mdl.nameSpace}/${name}`],
      )
    })
  }
})
