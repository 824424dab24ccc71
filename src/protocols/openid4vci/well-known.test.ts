import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftMetadataUrl, wellKnownUrl } from './well-known.ts'

for (const [issuer, url] of [
  ['https://host.example', 'https://host.example/.well-known/openid-credential-issuer'],
  ['https://host.example/', 'https://host.example/.well-known/openid-credential-issuer/'],
  ['https://host.example:8443/t/1', 'https://host.example:8443/.well-known/openid-credential-issuer/t/1'],
  ['https://host.example/t/1/', 'https://host.example/.well-known/openid-credential-issuer/t/1/'],
] as const) {
  test(`the metadata of ${issuer} stands between host and path [VCI-M1, VCI-M2]`, () => {
    assert.equal(wellKnownUrl(issuer, 'openid-credential-issuer'), url)
  })
}

for (const issuer of ['https://host.example', 'https://host.example/', 'https://host.example/t/1/']) {
  test(`the drafts had the metadata of ${issuer} below it`, () => {
    const base = issuer.replace(/\/$/, '')
    assert.equal(draftMetadataUrl(issuer), `${base}/.well-known/openid-credential-issuer`)
  })
}

for (const [issuer, path] of [
  ['https://host.example', ''],
  ['https://host.example/', ''],
  ['https://host.example/t/1/', '/t/1'],
] as const) {
  test(`the metadata of the authorization server ${issuer} drops a last slash (RFC 8414 3.1) [VCI-M3]`, () => {
    const url = `https://host.example/.well-known/oauth-authorization-server${path}`
    assert.equal(wellKnownUrl(issuer, 'oauth-authorization-server'), url)
  })
}
