import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { qrImage, qrPng, qrSvg } from './qr-image.ts'

const text =
  'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Aexample.org&request_uri=https%3A%2F%2Fexample.org%2Fr'

test('SVG is the default, PNG by Accept, anything else is refused', () => {
  assert.equal(qrImage(text, undefined).type, 'image/svg+xml')
  assert.equal(qrImage(text, 'image/png, */*;q=0.1').type, 'image/png')
  assert.throws(() => qrImage(text, 'text/html'), { code: 'request.not_acceptable' })
})

test('an image of a single use text is not stored', () => {
  assert.deepEqual(qrImage(text, undefined).headers, { 'cache-control': 'no-store', vary: 'accept' })
})

test('both forms show the same modules', () => {
  const png = qrPng(text)
  const size = png.readUInt32BE(16)
  const bodyAt = png.indexOf('IDAT') + 4
  const pixels = inflateSync(png.subarray(bodyAt, bodyAt + png.readUInt32BE(bodyAt - 8)))
  const modules = size / 8
  assert.equal(pixels.length, size * (modules + 1))
  let path = ''
  for (let y = 0; y < modules; y++) {
    for (let x = 0; x < modules; x++) if (pixels[y * 8 * (modules + 1) + 1 + x] === 0) path += `M${x} ${y}h1v1h-1z`
  }
  assert(qrSvg(text).includes(`<path d="${path}"`))
})
