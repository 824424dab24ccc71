import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathText, walkAttributes, walkDescribed, walkValues } from './claim-tree.ts'

test('a walk of values visits parents first, and nothing inside a value that it is told to leave out', () => {
  const seen: string[] = []
  walkValues({ a: [1, { b: 2 }], c: { d: 3 } }, true, (_value, path) => {
    seen.push(pathText(path))
    return path.at(-1) !== 'c'
  })
  assert.deepEqual(seen, ['a', 'a[0]', 'a[1]', 'a[1].b', 'c'])
})

test('a walk of attributes enters objects only, so that unvalidated ones can be walked', () => {
  const seen: string[] = []
  const attributes = {
    a: { properties: { b: { items: { properties: 'none' } }, c: 1 } },
    d: { properties: [{}], items: 'x' },
  }
  walkAttributes<object | number, boolean>(attributes, true, (_attribute, path) => {
    seen.push(pathText(path))
    return true
  })
  assert.deepEqual(seen, ['a', 'a.b', 'a.b[]', 'a.c', 'd'])
})

test('a walk of described values tells unknown members from the content of an object without properties', () => {
  type Attribute = { readonly properties?: { readonly [name: string]: Attribute }; readonly items?: Attribute }
  const attributes: { readonly [name: string]: Attribute } = { free: {}, list: { items: { properties: { a: {} } } } }
  const seen: Record<string, string> = {}
  const values = { free: { x: [1] }, list: [{ a: 1, b: 2 }], other: 3, toString: 4 }
  walkDescribed(attributes, values, true, ({ attribute }, path) => {
    seen[pathText(path)] = typeof attribute === 'string' ? attribute : 'described'
    return true
  })
  assert.deepEqual(seen, {
    free: 'described',
    'free.x': 'free',
    'free.x[0]': 'free',
    list: 'described',
    'list[0]': 'described',
    'list[0].a': 'described',
    'list[0].b': 'unknown',
    other: 'unknown',
    toString: 'unknown',
  })
})

test('elements of an mdoc are separated by a slash, since namespaces contain dots', () => {
  assert.equal(pathText(['org.iso.18013.5.1', 'family_name'], true), 'org.iso.18013.5.1/family_name')
  assert.equal(pathText(['address', 'lines', 0, 'text']), 'address.lines[0].text')
})
