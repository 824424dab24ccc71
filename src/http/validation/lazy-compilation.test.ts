import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { writer } from '../server/write.ts'
import { checkMaker } from './check.ts'

const invalid = Type.Unsafe({ type: 'no such type' })

test('a check and a serializer compile their schema at the first use, not when they are made', () => {
  const check = checkMaker()(invalid, 'body')
  assert.throws(() => check({}))
  const write = writer(Type.Unsafe({ $ref: '#/nowhere' }), false)
  assert.throws(() => write({ data: 1 }))
})
