import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readClientProof } from './client-proof.ts'

const basic = (credentials: string) => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` })
const written = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)

const secrets = [
  ['made by openssl rand -base64', 'qZ8+0p/xW3v+Rk5yT1aB7cD9eF2gH4iJ6kL8mN0oP1Q='],
  ['with a percent sign', '100%-sure-that-this-is-a-secret-of-32'],
  ['with an escape that is no UTF-8', 'a-secret-with-%ff-in-its-middle-of-32'],
  ['with punctuation', ']T2v6(V{Y!wNHT>}YG6[UC9+85?zRF!9'],
  ['with a colon', 'a:secret:that:has:colons:and:32:characters'],
  ['with a blank', 'a secret of four and thirty letters'],
  ['with letters beyond ASCII', 'Zoë-und-ihre-Schwester-haben-ein-Geheimnis'],
] as const

for (const [name, secret] of secrets)
  test(`a secret ${name} is read form-encoded, as RFC 6749 has it, and as it is, as many clients send it`, () => {
    const expected = { method: 'secret', clientId: 'https://x.example', secret }
    const encoded = readClientProof(basic(`${written('https://x.example')}:${written(secret)}`), {})
    assert.deepEqual(encoded, expected)
    assert.deepEqual(readClientProof(basic(`shop:${secret}`), {}), { ...expected, clientId: 'shop' })
  })

test('what could be both is read form-encoded', () => {
  assert.deepEqual(readClientProof(basic('shop:a+b%20c'), {}), { method: 'secret', clientId: 'shop', secret: 'a b c' })
})
