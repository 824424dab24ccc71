import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLink } from './read-link.ts'

const ours = 'https://credentials.example'
const reference = encodeURIComponent('https://peer.example/1')

for (const [link, kind] of [
  [`eudi-openid4ci://credentialsOffer?credential_offer_uri=${reference}`, 'offer'],
  [`haip-vci://?credential_offer_uri=${reference}`, 'offer'],
  [`swiyu://?credential_offer_uri=${reference}`, 'offer'],
  [`swiyu://?client_id=x&request_uri=${reference}`, 'request'],
  [`swiyu-verify://?client_id=x&request_uri=${reference}`, 'request'],
  [`eudi-openid4vp://host?client_id=x&request_uri=${reference}`, 'request'],
  [`mdoc-openid4vp://?client_id=x&request_uri=${reference}`, 'request'],
  [`${ours}/request/acme/AaH7`, 'page'],
  ['https://other.example/request/acme/AaH7', 'unknown'],
  [`eudi-openid4vci://?credential_offer_uri=${reference}`, 'offer'],
  [`av://host?client_id=x&request_uri=${reference}`, 'request'],
  ['swiyu://?later=1', 'unknown'],
  ['av://?later=1', 'unknown'],
  [`ftp://host/?client_id=x&request_uri=${reference}`, 'unknown'],
  [`mailto:a?client_id=x&request_uri=${reference}`, 'unknown'],
] as const) {
  test(`${link} is read as ${kind}`, () => {
    assert.equal(readLink(link, ours).kind, kind)
  })
}
