import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigMistakes, readConfig } from './config.ts'

const masterKey = Buffer.alloc(32, 7).toString('base64')

test('without settings the configuration is a development server on the embedded database', () => {
  const config = readConfig({})
  assert.equal(config.isDevelopment, true)
  assert.equal(config.databaseUrl, null)
  assert.equal(config.publicUrl, 'http://localhost:8080')
  assert.equal(config.walletBaseUrl, 'http://localhost:8080/wallet')
})

test('an empty variable counts as not set', () => {
  assert.equal(readConfig({ PORT: '', MASTER_KEY: '' }).port, 8080)
})

test('all mistakes are reported at once, by name and rule, without values', () => {
  const env = {
    PORT: '99999',
    PUBLIC_URL: 'https://a.example/path',
    MASTER_KEY: 'c2VjcmV0',
    NODE_ENV: 'staging',
    LOG_LEVEL: 'loud',
  }
  assert.throws(
    () => readConfig(env),
    (error) => {
      assert(error instanceof ConfigMistakes)
      assert.equal(error.mistakes.length, 5)
      for (const value of Object.values(env)) assert(!error.message.includes(value))
      return true
    },
  )
})

for (const [what, env, mistake] of [
  ['MASTER_KEY', { DATABASE_URL: 'postgresql://db/x', PUBLIC_URL: 'https://a.example' }, /MASTER_KEY is required/],
  ['DATABASE_URL', { MASTER_KEY: masterKey, PUBLIC_URL: 'https://a.example' }, /DATABASE_URL is required/],
  ['PUBLIC_URL', { MASTER_KEY: masterKey, DATABASE_URL: 'postgresql://db/x' }, /PUBLIC_URL is required/],
  [
    'https',
    { MASTER_KEY: masterKey, DATABASE_URL: 'postgresql://db/x', PUBLIC_URL: 'http://a.example' },
    /must be https/,
  ],
] as const) {
  test(`[VCI-M6] production does not start without ${what}`, () => {
    assert.throws(() => readConfig({ NODE_ENV: 'production', ...env }), mistake)
  })
}

for (const secret of ['short', 'with a space in it', 'an=in-the-middle-of-it', 'x'.repeat(1025)]) {
  test(`a METRICS_TOKEN that no header could carry, or that could be guessed, is refused: ${secret.slice(0, 25)}`, () => {
    assert.throws(() => readConfig({ METRICS_TOKEN: secret }), /METRICS_TOKEN must be a secret/)
  })
}

test('production starts with all required settings', () => {
  const config = readConfig({
    NODE_ENV: 'production',
    MASTER_KEY: masterKey,
    DATABASE_URL: 'postgresql://db/x',
    PUBLIC_URL: 'https://a.example',
  })
  assert.equal(config.isDevelopment, false)
  assert.equal(config.masterKey?.length, 32)
})

const token = { PKCS11_MODULE: '/usr/lib/softhsm/libsofthsm2.so', PKCS11_TOKEN: 'issuer', PKCS11_PIN_FILE: '/run/pin' }

test('keys in a token need a module, a token and a PIN file, and all missing ones are reported at once', () => {
  const { keyProvider, keyDevice } = readConfig({ KEY_PROVIDER: 'pkcs11', ...token })
  const { PKCS11_MODULE: module, PKCS11_PIN_FILE: pinFile } = token
  assert.deepEqual([keyProvider, keyDevice], ['pkcs11', { module, slot: { label: 'issuer' }, pinFile }])
  const bySlot = readConfig({ ...token, PKCS11_TOKEN: '', PKCS11_SLOT: '0' })
  assert.deepEqual([bySlot.keyProvider, bySlot.keyDevice], ['software', { module, slot: { id: 0 }, pinFile }])
  assert.deepEqual([readConfig({}).keyProvider, readConfig({}).keyDevice], ['software', null])
  for (const [env, names] of [
    [{ KEY_PROVIDER: 'pkcs11' }, ['PKCS11_MODULE', 'PKCS11_PIN_FILE', 'PKCS11_TOKEN']],
    [{ PKCS11_TOKEN: 'issuer' }, ['PKCS11_MODULE', 'PKCS11_PIN_FILE']],
    [{ ...token, PKCS11_SLOT: '1' }, ['PKCS11_SLOT']],
    [{ ...token, PKCS11_TOKEN: '', PKCS11_SLOT: 'x' }, ['PKCS11_SLOT', 'PKCS11_TOKEN']],
    [{ ...token, KEY_PROVIDER: 'hsm' }, ['KEY_PROVIDER']],
  ] as const) {
    assert.throws(
      () => readConfig(env),
      (error) => {
        assert(error instanceof ConfigMistakes)
        assert.deepEqual(
          error.mistakes.map((one) => one.split(' ', 1)[0]),
          names,
        )
        return !error.message.includes('/run/pin') && !error.message.includes('issuer')
      },
    )
  }
})

test('a master key of zeros, which an unset variable becomes, is refused', () => {
  assert.throws(() => readConfig({ MASTER_KEY: Buffer.alloc(32).toString('base64') }), /MASTER_KEY/)
  assert.deepEqual(readConfig({ MASTER_KEY: masterKey }).masterKey, Buffer.alloc(32, 7))
})
