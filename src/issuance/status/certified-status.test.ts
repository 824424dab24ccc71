// The status of credentials that are signed with certificates: lists signed under the same root, and those of mdocs
// with one bit.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { parseIssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { parseStatusListCwt, verifyStatusListCwt } from '../../protocols/status-list/status-list-cwt.ts'
import { parseStatusListToken } from '../../protocols/status-list/status-list-token.ts'
import { resolveMdocIssuer } from '../../trust/issuers/mdoc-issuer.ts'
import { resolveIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { checkStatus } from '../../trust/status-lists/check-status.ts'
import { trustedAnchors } from '../../trust/trusted-entities/tenant-trust.ts'
import { aDatabase, aKey, anIssuer, aRoot, aToken, type Body, type Issuer, request } from '../test-support/issuer.ts'
import { countUnverifiableLists } from './publish-status-list.ts'

let db: TestDatabase
before(async () => {
  db = await aDatabase()
})
after(() => db.close())

const pass = {
  format: 'mdoc',
  docType: 'org.example.pass.1',
  attributes: { 'org.example.pass.1': { holder: { type: 'string', required: true } } },
}

/** A credential that is out, and its id. */
async function issued(issuer: Issuer, template: object, attributes: object) {
  const made = await aToken(issuer, template, attributes)
  const { status, body } = await request(issuer, made.token, made.template.code, [aKey()])
  assert.equal(status, 200, JSON.stringify(body))
  return { id: made.issuance.credentials[0].id as string, credential: body.credentials[0].credential as string }
}

function anMdoc(issuer: Issuer) {
  return issued(issuer, pass, { attributes: { 'org.example.pass.1': { holder: 'Thandi' } } })
}

async function change(issuer: Issuer, verb: string, id: string): Promise<Body> {
  const { status, body } = await issuer.api('POST', `/credentials/${verb}`, { ids: [id] })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.results[0]
}

async function sdJwtStatus({ platform, clock, tenant }: Issuer, credential: string): Promise<string[]> {
  const anchors = () => trustedAnchors(platform, tenant.id)
  const { jwt } = parseSdJwt(credential)
  const signer = await resolveIssuer({ ...platform, tenantId: tenant.id }, jwt, clock.at, anchors)
  const found = await checkStatus({ ...platform, tenantId: tenant.id }, jwt.payload.status, signer, clock.at, anchors)
  return found.map(({ code }) => code)
}

async function mdocStatus({ platform, clock, tenant }: Issuer, credential: string): Promise<string[]> {
  const anchors = () => trustedAnchors(platform, tenant.id)
  const mdoc = parseIssuerSigned(credential)
  const signer = await resolveMdocIssuer({ ...platform, tenantId: tenant.id }, mdoc, clock.at, anchors)
  const found = await checkStatus(
    { ...platform, tenantId: tenant.id },
    mdoc.mso.status,
    signer,
    clock.at,
    anchors,
    'cwt',
  )
  return found.map(({ code }) => code)
}

function listUriOf(status: unknown): string {
  return (status as { status_list: { uri: string } }).status_list.uri
}

test('[TS-10] [HAIP-30] the list of certified credentials is signed with the certificate, and says what becomes of them', async () => {
  const issuer = await anIssuer(db)
  const before = await issued(issuer, {}, {})
  await aRoot(issuer)
  const { id, credential } = await issued(issuer, {}, {})
  const uri = listUriOf(parseSdJwt(credential).jwt.payload.status)
  assert.notEqual(uri, listUriOf(parseSdJwt(before.credential).jwt.payload.status))
  const { header } = parseStatusListToken((await issuer.open(uri)).body)
  assert.deepEqual(header.x5c, parseSdJwt(credential).jwt.header.x5c)
  assert.deepEqual(await sdJwtStatus(issuer, credential), [])
  await change(issuer, 'suspend', id)
  assert.deepEqual(await sdJwtStatus(issuer, credential), ['status.suspended'])
  await change(issuer, 'revoke', id)
  assert.deepEqual(await sdJwtStatus(issuer, credential), ['status.revoked'])
  assert.deepEqual(await sdJwtStatus(issuer, before.credential), [])
  await issuer.server.close(0)
})

test('a root that was replaced still says what becomes of the credentials that it signed', async () => {
  const issuer = await anIssuer(db)
  const root = await aRoot(issuer)
  const old = await issued(issuer, {}, {})
  const next = await aRoot(issuer)
  assert.equal((await issuer.api('POST', `/certificates/${next.id}/activate`)).status, 200)
  const fresh = await issued(issuer, {}, {})
  assert.notEqual(root.id, next.id)
  assert.notEqual(
    listUriOf(parseSdJwt(old.credential).jwt.payload.status),
    listUriOf(parseSdJwt(fresh.credential).jwt.payload.status),
  )
  await change(issuer, 'revoke', old.id)
  assert.deepEqual(await sdJwtStatus(issuer, old.credential), ['status.revoked'])
  assert.deepEqual(await sdJwtStatus(issuer, fresh.credential), [])
  await issuer.server.close(0)
})

test('[MD-10] an mdoc has its entry in a list of one bit, a CWT with the chain in its protected header', async () => {
  const issuer = await anIssuer(db)
  await aRoot(issuer)
  const { credential } = await anMdoc(issuer)
  const { mso, x5chain } = parseIssuerSigned(credential)
  const uri = listUriOf(mso.status)
  const path = new URL(uri).pathname
  const { body } = await issuer.server.dispatch({
    method: 'GET',
    path,
    headers: { accept: 'application/statuslist+cwt' },
  })
  const token = parseStatusListCwt(body)
  assert.equal(token.sign1.protectedHeader.has(33), true)
  assert.deepEqual(
    token.x5chain.map((der) => Buffer.from(der).toString('hex')),
    x5chain.map((der) => Buffer.from(der).toString('hex')),
  )
  const anchors = () => trustedAnchors(issuer.platform, issuer.tenant.id)
  const { key } = await resolveMdocIssuer(
    { ...issuer.platform, tenantId: issuer.tenant.id },
    parseIssuerSigned(credential),
    issuer.clock.at,
    anchors,
  )
  const list = verifyStatusListCwt(token, key, { uri, isForMdoc: true }, issuer.clock.at)
  assert.equal(list.bits, 1)
  const beside = await issued(issuer, {}, {})
  assert.notEqual(listUriOf(parseSdJwt(beside.credential).jwt.payload.status), uri)
  await issuer.server.close(0)
})

test('[MD-10] [TS-4] an mdoc is revoked, but never suspended', async () => {
  const issuer = await anIssuer(db)
  await aRoot(issuer)
  const { id, credential } = await anMdoc(issuer)
  const refused = await change(issuer, 'suspend', id)
  assert.deepEqual([refused.status, refused.code], ['issued', 'INVALID_STATE'])
  assert.deepEqual(await mdocStatus(issuer, credential), [])
  assert.deepEqual(await change(issuer, 'reinstate', id), { id, status: 'issued' })
  assert.deepEqual(await change(issuer, 'revoke', id), { id, status: 'revoked' })
  assert.deepEqual(await mdocStatus(issuer, credential), ['status.revoked'])
  await issuer.server.close(0)
})

test('a root that was replaced says so also when the leaf of its time has ended', async () => {
  const issuer = await anIssuer(db)
  const root = await aRoot(issuer)
  const { id, credential } = await issued(issuer, {}, {})
  assert.equal((await issuer.api('POST', `/certificates/${root.id}/deactivate`)).status, 200)
  issuer.clock.at = new Date(issuer.clock.at.getTime() + 500 * 86_400_000)
  await change(issuer, 'suspend', id)
  assert.deepEqual(await sdJwtStatus(issuer, credential), ['status.suspended'])
  await issuer.server.close(0)
})

test('status lists whose root has ended are counted for the operator, others are not', async () => {
  const issuer = await anIssuer(db)
  await issued(issuer, {}, {})
  const root = await aRoot(issuer)
  await issued(issuer, {}, {})
  const count = (at: Date) => issuer.platform.store.inTenant(issuer.tenant.id, (tx) => countUnverifiableLists(tx, at))
  const end = new Date(root.expiresAt)
  assert.deepEqual(
    [await count(issuer.clock.at), await count(new Date(end.getTime() - 1)), await count(end)],
    [0, 0, 1],
  )
})
