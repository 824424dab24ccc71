import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHostList, readNoProxy } from './host-list.ts'

test('a list of hosts has names, names below a name, addresses and networks, and nothing beside them', () => {
  const list = readHostList('idp.school.lan, *.peers.lan 10.20.0.0/16,192.168.1.7,fd00:1::/32,[fd00:2::1]')
  assert.deepEqual(
    ['idp.school.lan', 'a.peers.lan', 'a.b.peers.lan', 'peers.lan', 'a.idp.school.lan', 'evilpeers.lan'].map(
      list.hasName,
    ),
    [true, true, true, false, false, false],
  )
  assert.deepEqual(
    ['10.20.255.1', '10.21.0.1', '192.168.1.7', '192.168.1.8', 'fd00:1::9', 'fd00:2::1', 'fd00:2::2'].map(
      list.hasAddress,
    ),
    [true, false, true, false, true, true, false],
  )
})

for (const text of [
  '*',
  'https://idp.lan',
  'a_b..c',
  '10.0.0.0/33',
  '10.0.0.0/x',
  '300.1.1.1',
  'idp.lan:443',
  '-a.lan',
  '0x7f.1',
]) {
  test(`${text} is no host of the list`, () => {
    assert.throws(() => readHostList(text))
  })
}

for (const [text, direct, proxied] of [
  ['*', ['https://a.example/'], []],
  ['example.org', ['https://example.org/', 'https://a.example.org/'], ['https://anexample.org/']],
  ['.example.org', ['https://example.org/', 'https://a.example.org/'], ['https://anexample.org/']],
  ['*.example.org', ['https://a.example.org/'], ['https://example.org/']],
  ['example.org:8443', ['https://example.org:8443/'], ['https://example.org/']],
  ['example.org:443', ['https://example.org/'], ['https://example.org:8443/']],
  ['10.0.0.0/8 192.168.1.1', ['https://10.9.8.7/', 'https://192.168.1.1/'], ['https://11.0.0.1/', 'https://a.lan/']],
  ['[fd00::1]:8443,fd00:2::/32', ['https://[fd00::1]:8443/', 'https://[fd00:2::5]/'], ['https://[fd00::1]/']],
  ['192.168.*,10.0.0.0/99,a.example', ['https://a.example/'], ['https://192.168.1.1/', 'https://10.0.0.1/']],
  ['', [], ['https://example.org/']],
] as const) {
  test(`NO_PROXY=${text}`, () => {
    const isDirect = readNoProxy(text)
    for (const url of direct) assert.equal(isDirect(new URL(url)), true, url)
    for (const url of proxied) assert.equal(isDirect(new URL(url)), false, url)
  })
}
