import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, isOutdatedHash, isPasswordOf, noPasswordHash } from './password-hash.ts'
import { hashSecret } from './secret-hash.ts'

test('a password matches its own hash only, in whatever form its accents are typed', async () => {
  const stored = await hashPassword('caf\u00e9 au lait')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal(await isPasswordOf(stored, 'cafe\u0301 au lait'), true)
  assert.equal(await isPasswordOf(stored, 'cafe au lait'), false)
  assert.notEqual(await hashPassword('caf\u00e9 au lait'), stored)
  assert.equal(isOutdatedHash(stored), false)
})

test('a scrypt hash still verifies and is outdated, as is one of another cost', async () => {
  const stored = await hashSecret('correct horse', 'password')
  assert.equal(await isPasswordOf(stored, 'correct horse'), true)
  assert.equal(await isPasswordOf(stored, 'correct horsf'), false)
  assert.equal(isOutdatedHash(stored), true)
  assert.equal(isOutdatedHash(noPasswordHash.replace('t=2', 't=1')), true)
})

test('the hash of the reference implementation verifies', async () => {
  // phc-winner-argon2, test.c: argon2id, t=2, m=2^8, p=1, "password", "somesalt"
  const stored = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
  assert.equal(await isPasswordOf(stored, 'password'), true)
})

test('the hash of no user has the cost of a real one, and no password', async () => {
  assert.equal(isOutdatedHash(noPasswordHash), false)
  for (const password of ['', 'A', '\0']) assert.equal(await isPasswordOf(noPasswordHash, password), false)
})
