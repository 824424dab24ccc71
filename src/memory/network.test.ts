import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networksOf } from './network.ts'

for (const [ip, networks] of [
  ['192.0.2.7', ['192.0.2.7', '192.0.2.0/24']],
  ['::ffff:192.0.2.7', ['192.0.2.7', '192.0.2.0/24']],
  ['2001:db8:1:a7::1', ['2001:db8:1:a7', '2001:db8:1:0/56', '2001:db8:1/48']],
  ['2001:0DB8:0001:12A7:0:0:0:1', ['2001:db8:1:12a7', '2001:db8:1:12/56', '2001:db8:1/48']],
  ['2001:db8::1', ['2001:db8:0:0', '2001:db8:0:0/56', '2001:db8:0/48']],
  ['127.0.0.1', []],
  ['::1', []],
] as const) {
  test(`${ip} is counted in ${networks.length} networks, the narrowest first`, () => {
    assert.deepEqual(
      networksOf(ip).map(({ network }) => network),
      networks,
    )
  })
}
