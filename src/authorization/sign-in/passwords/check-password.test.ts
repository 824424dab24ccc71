import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPassword } from './check-password.ts'

const personal = ['thandi.molefe', 'thandi@example.org', 'Thandi', 'Molefe', null, 'Acme College', 'acme']

for (const [password, finding] of [
  ['', 'too_short'],
  ['a1!bcd7', 'too_short'],
  ['\u0065\u0301bcd7gh', 'too_short'],
  ['\u{1f600}\u{1f601}\u{1f602}\u{1f603}\u{1f604}\u{1f605}\u{1f606}', 'too_short'],
  ['x7'.repeat(100).concat('y'), 'too_long'],
  ['\u{1f600}x'.repeat(500), 'too_long'],
  ['password', 'common'],
  ['Passw0rd', 'common'],
  ['PASSWORD2026!', 'common'],
  ['!!password!!', 'common'],
  ['Sommer2026', 'common'],
  ['qwertyuiop', 'common'],
  ['1q2w3e4r', 'common'],
  ['1234567890', 'common'],
  ['87654321', 'common'],
  ['zzzzzzzzzzzz', 'common'],
  ['abababababab', 'common'],
  ['k7!xk7!xk7!x', 'common'],
  ['thandi.molefe', 'personal'],
  ['ThandiMolefe1', 'personal'],
  ['acme-thandi-26', 'personal'],
  ['MolefeMolefe!1', 'personal'],
  ['thandi@example.org', 'personal'],
  ['correct horse battery', null],
  ['8 Zeichen', null],
  ['thandi likes lemon trees', null],
  ['\u00e9t\u00e9 \u00e0 la mer', null],
  ['\u{1f600}\u{1f601}\u{1f602}\u{1f603}\u{1f604}\u{1f605}\u{1f606}\u{1f607}', null],
] as const) {
  test(`a password of ${[...password].length} characters, ${password.slice(0, 24)}: ${finding ?? 'accepted'}`, () => {
    assert.equal(checkPassword(password, personal), finding)
  })
}

test('the longest password is 200 characters, of whatever length in UTF-16', () => {
  const longest = Array.from({ length: 200 }, (_, n) => String.fromCodePoint(0x1f600 + (n % 60))).join('')
  assert.equal(checkPassword(longest, []), null)
})
