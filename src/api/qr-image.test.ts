import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PNG } from 'pngjs'
import { encode } from 'uqr'
import { qrAnswer } from './qr-image.ts'

const text = 'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fissuer.example%2Foffers%2Fabc'
const modules = encode(text, { ecc: 'M', border: 4 }).data

test('a QR code is SVG unless PNG is requested', () => {
  assert.equal(qrAnswer(text, undefined).type, 'image/svg+xml')
  assert.equal(qrAnswer(text, '*/*').type, 'image/svg+xml')
  assert.equal(qrAnswer(text, 'image/png').type, 'image/png')
  assert.throws(() => qrAnswer(text, 'text/html'), { code: 'request.not_acceptable' })
})

test('the PNG shows every module as 8 by 8 pixels', () => {
  const png = qrAnswer(text, 'image/png').body
  assert.ok(Buffer.isBuffer(png))
  const { width, height, data } = PNG.sync.read(png)
  assert.deepEqual([width, height], [modules.length * 8, modules.length * 8])
  modules.forEach((row, y) => {
    row.forEach((dark, x) => {
      for (const [dy, dx] of [
        [0, 0],
        [7, 7],
      ] as const) {
        const at = 4 * ((y * 8 + dy) * width + x * 8 + dx)
        assert.deepEqual([...data.subarray(at, at + 4)], dark ? [0, 0, 0, 255] : [255, 255, 255, 255])
      }
    })
  })
})

test('a text that no QR code holds is refused', () => {
  assert.throws(() => qrAnswer('x'.repeat(5000), undefined), { code: 'request.invalid' })
})
