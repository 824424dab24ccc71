import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { encode } from 'uqr'
import { qrAnswer } from './qr-image.ts'

const text = 'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fissuer.example%2Foffers%2Fabc'
const modules = encode(text, { ecc: 'M', border: 4 }).data

test('a QR code is SVG unless PNG is asked for', () => {
  assert.equal(qrAnswer(text, undefined).type, 'image/svg+xml')
  assert.equal(qrAnswer(text, '*/*').type, 'image/svg+xml')
  assert.equal(qrAnswer(text, 'image/png').type, 'image/png')
  assert.throws(() => qrAnswer(text, 'text/html'), { code: 'request.not_acceptable' })
})

test('the PNG shows every module as 8 by 8 pixels', () => {
  const png = qrAnswer(text, 'image/png').body
  assert.ok(Buffer.isBuffer(png))
  const width = png.readUInt32BE(16)
  assert.equal(width, modules.length * 8)
  const start = png.indexOf('IDAT')
  const pixels = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)))
  const stride = 1 + width / 8
  assert.equal(pixels.length, stride * width)
  modules.forEach((row, y) => {
    row.forEach((dark, x) => {
      assert.equal(pixels[y * 8 * stride + 1 + x], dark ? 0 : 255)
    })
  })
})

test('a text that no QR code holds is refused', () => {
  assert.throws(() => qrAnswer('x'.repeat(5000), undefined), { code: 'request.invalid' })
})
