import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { toBase64url } from './base64url.ts'

const readers = { json: new URL('./json.ts', import.meta.url), jws: new URL('./jws.ts', import.meta.url) }

/**
 * Runs an expression in a process of its own whose parser has seen the priming texts: what a parser of the engine
 * remembers of member names is kept for the life of a process.
 */
function afterPriming(priming: readonly string[], module: URL, expression: string): unknown {
  const script = `
    import * as room from ${JSON.stringify(module.href)}
    for (const text of ${JSON.stringify(priming)}) try { JSON.parse(text) } catch {}
    const read = () => { try { return { read: ${expression} } } catch (error) { return { refused: error.code } } }
    console.log(JSON.stringify(read(), (name, value) => typeof value === 'bigint' ? String(value) : value))`
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))
}

const parse = (text: string) => `room.parseJson(${JSON.stringify(text)})`

test('an escaped member name is read as it is written, whatever the process parsed before', () => {
  const expression = parse('{"family_name":"a","caf\\u00e9":"b"}')
  assert.deepEqual(afterPriming(['{"family_name":"a","caf\\\\":"b"}'], readers.json, expression), {
    read: { family_name: 'a', café: 'b' },
  })
})

test('a member name that is spelled twice is refused, whatever the process parsed before [SEC-24]', () => {
  const expression = parse('{"degree":"BSc","\\u0064egree":"PhD"}')
  assert.deepEqual(afterPriming(['{"degree":"BSc","\\\\u0064":1}'], readers.json, expression), {
    refused: 'json.malformed',
  })
})

test('what the server wrote itself is read as it was written, whatever the process parsed before', () => {
  const expression = `room.readOwnJson(JSON.stringify({ a: 1, ${JSON.stringify('say "hi"')}: 2 }))`
  assert.deepEqual(afterPriming(['{"a":1,"say \\\\\\"hi":2}'], readers.json, expression), {
    read: { a: 1, 'say "hi"': 2 },
  })
})

test('a JOSE header with an escaped member name is refused, whatever the process parsed before', () => {
  const header = toBase64url('{"alg":"ES256","\\u0063rit":["b64"],"b64":false}')
  const expression = `room.parseCompact(${JSON.stringify(`${header}.${toBase64url('{}')}.AAAA`)}).header`
  const priming = ['{"alg":"ES256","\\\\u00":["b64"],"b64":false}']
  assert.deepEqual(afterPriming(priming, readers.jws, expression), { refused: 'jws.malformed' })
})

test('a JWT payload with an escaped member name is read', () => {
  const jws = `${toBase64url('{"alg":"ES256"}')}.${toBase64url('{"a":1,"caf\\u00e9":1}')}.AAAA`
  const expression = `room.parseCompact(${JSON.stringify(jws)}).payload`
  assert.deepEqual(afterPriming(['{"a":1,"caf\\\\":1}'], readers.jws, expression), { read: { a: 1, café: 1 } })
})
