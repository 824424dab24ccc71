import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { Fault } from '../../fault.ts'
import { checkMaker } from './check.ts'

const check = checkMaker()
const moment = check(Type.String({ format: 'date-time' }), 'body')
const uuid = check(Type.String({ format: 'uuid' }), 'body')

for (const time of [
  '2026-01-31T12:00:00Z',
  '2026-01-31T12:00:00.123456789+14:00',
  '2024-02-29T23:59:59.9-00:30',
  '0001-01-01T00:00:00Z',
]) {
  test(`the time ${time} is accepted`, () => moment(time))
}

for (const time of [
  '2016-12-31T23:59:60Z',
  '2026-02-30T12:00:00Z',
  '2026-01-31 12:00:00Z',
  '2026-01-31\u00a012:00:00Z',
  '2026-01-31T12:00:00',
  '2026-01-31T12:00:00+05',
  '2026-01-31T25:00:00Z',
  '0000-12-31T12:00:00Z',
  '0001-01-01T00:00:00+05:00',
  '9999-12-31T23:59:59-05:00',
]) {
  test(`the time ${JSON.stringify(time)} is refused: clock, database or token cannot represent it`, () => {
    assert.throws(() => moment(time), { code: 'request.invalid' })
  })
}

test('an id is a UUID and nothing around it', () => {
  uuid('0190c5a0-0000-7000-8000-000000000000')
  uuid('0190C5A0-0000-7000-8000-000000000000')
  for (const id of ['urn:uuid:0190c5a0-0000-7000-8000-000000000000', '{0190c5a0-0000-7000-8000-000000000000}', '']) {
    assert.throws(() => uuid(id), { code: 'request.invalid' })
  }
})

test('each violation is a sentence with a subject, also that of an item', () => {
  const Ids = Type.Array(Type.String({ format: 'uuid' }))
  const shape = Type.Object({
    ids: Ids,
    grid: Type.Array(Type.Array(Type.Integer())),
    code: Type.String({ pattern: '^a$' }),
  })
  const detailsOf = (value: unknown, schema: TSchema = shape) => {
    try {
      check(schema, 'body')(value)
      return []
    } catch (error) {
      return error instanceof Fault ? error.violations?.map(({ detail }) => detail) : error
    }
  }
  assert.deepEqual(detailsOf({ ids: ['x'], grid: [[1], ['a']], code: 'b' }), [
    'ids[0] must be a UUID.',
    'grid[1][0] must be an integer.',
    'code does not match the required format.',
  ])
  assert.deepEqual(detailsOf(7), ['The body must be an object.'])
  assert.deepEqual(detailsOf(['x'], Ids), ['Item [0] must be a UUID.'])
})

test('each violation names the rule and what it allows, for pages in other languages', () => {
  const shape = Type.Object(
    {
      name: Type.String({ maxLength: 3 }),
      count: Type.Integer({ minimum: 2 }),
      kind: Type.Enum(['a', 'b']),
      day: Type.String({ format: 'date' }),
    },
    { additionalProperties: false },
  )
  const broken = (value: object) => {
    try {
      check(shape, 'body')(value)
    } catch (error) {
      assert(error instanceof Fault)
      return error.violations?.map(({ pointer, rule, limit }) => ({
        pointer,
        rule,
        ...(limit !== undefined && { limit }),
      }))
    }
    return assert.fail('it was accepted')
  }
  const pointers = broken({ name: 'long', count: 1, kind: 'c', day: 'x', more: 1 })
  assert.deepEqual(
    pointers?.toSorted((one, other) => String(one.pointer).localeCompare(String(other.pointer))),
    [
      { pointer: '/count', rule: 'minimum', limit: 2 },
      { pointer: '/day', rule: 'format', limit: 'date' },
      { pointer: '/kind', rule: 'enum', limit: ['a', 'b'] },
      { pointer: '/more', rule: 'additionalProperties' },
      { pointer: '/name', rule: 'maxLength', limit: 3 },
    ],
  )
  assert.partialDeepStrictEqual(broken({ count: 2, kind: 'a', day: '2026-01-31' }), [{ rule: 'required' }])
})

test('a value that is none of the words of a choice is told the words, also where null is allowed', () => {
  const words = (schema: TSchema) => {
    try {
      check(Type.Object({ kind: schema }), 'body')({ kind: 'c' })
    } catch (error) {
      assert(error instanceof Fault)
      return error.violations?.map(({ detail, pointer, rule }) => [detail, pointer, rule])
    }
    return assert.fail('it was accepted')
  }
  const expected = [['kind must be one of: a, b.', '/kind', 'enum']]
  assert.deepEqual(words(Type.Enum(['a', 'b'])), expected)
  assert.deepEqual(words(Type.Union([Type.Enum(['a', 'b']), Type.Null()])), expected)
  // Two choices of words are told as what they are.
  const either = words(Type.Union([Type.Enum(['a']), Type.Enum(['b'])]))
  assert.deepEqual(
    either?.map(([, , rule]) => rule),
    ['anyOf'],
  )
})
