import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verifier } from './api-types.ts'
import { verifierName } from './verifier-name.ts'

const stated = { clientId: 'x', responseHost: 'shop.example', authenticated: true, trusted: true, statedName: 'Bank' }
const did = 'did:web:shop.example'
const certified = (subject: string) => ({
  name: subject,
  basis: { entity: { id: 'list', name: 'Sector list' }, certificate: { subject, root: 'CN=Roots' } },
})

for (const [what, verifier, name] of [
  ['the organisation of the holder by its name', { name: 'Acme College', own: true }, 'Acme College'],
  [
    'a trusted DID by the trusted entity',
    { name: did, basis: { entity: { id: 'shop', name: 'Shop' }, identifier: did } },
    'Shop',
  ],
  ['a trusted DID of before by its host', { name: did }, 'shop.example'],
  ['a trusted certificate by its common name', certified('CN=Corner\\, Shop,O=Other,C=ZA'), 'Corner, Shop'],
  ['also where that is not the first attribute', certified('O=Other\\,CN=Bank+CN=Shop,C=ZA'), 'Shop'],
  ['else by its subject', certified('O=Shop Ltd,C=ZA'), 'O=Shop Ltd,C=ZA'],
  ['a stranger by its host', { ...certified('CN=Bank'), name: 'shop.example', trusted: false }, 'shop.example'],
  ['one that proves nothing by its host', { name: 'Bank', authenticated: false, trusted: false }, 'shop.example'],
] satisfies [string, Pick<Verifier, 'name'> & Partial<Verifier>, string][]) {
  test(`a page calls ${what}, not by what the verifier calls itself`, () => {
    assert.equal(verifierName({ ...stated, ...verifier }), name)
  })
}
