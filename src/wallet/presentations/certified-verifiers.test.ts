import assert from 'node:assert/strict'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { TenantId } from '../../caller.ts'
import {
  type CertInput,
  leafExtensions,
  type Made,
  openssl,
  rootExtensions,
} from '../../crypto/x509-path/test-support/openssl.ts'
import { forgetTenants } from '../../directory/tenants/find-tenant.ts'
import { sql } from '../../store/store.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { fault } from '../test-support/fault.ts'
import { membership } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { fetchRequest } from './fetch-request.ts'
import { preparePresentation } from './prepare-presentation.ts'

const setSettings = sql('test.wallet.verifier', 'update tenant set settings = $2::jsonb where id = $1 returning id')
const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const make = (wish: Partial<CertInput>) =>
  tool.make({
    subject: '/C=ZA/CN=Reader',
    extensions: [...leafExtensions.slice(0, 3), names('localhost')],
    ...years,
    ...wish,
  })
const names = (...dns: string[]) => `subjectAltName = ${dns.map((one) => `DNS:${one}`).join(', ')}`
const root = make({ subject: '/C=ZA/CN=Readers', extensions: rootExtensions })
const reader = make({ issuer: root })

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(async () => {
  await bench.close()
  tool.remove()
})

type Change = {
  readonly object?: object
  readonly x5c?: readonly Made[]
  readonly signer?: Made
  readonly clientId?: string
}
const hashOf = ({ certificate }: Made) =>
  `x509_hash:${createHash('sha256').update(certificate.der).digest('base64url')}`

/** A request by value, signed by hand. */
function link(clientId: string, { object = {}, x5c = [reader], signer = reader }: Change = {}): string {
  const payload = {
    client_id: clientId,
    response_type: 'vp_token',
    response_mode: 'direct_post',
    state: 'st',
    response_uri: 'http://localhost:1/answers',
    nonce: 'n-0S6_WzA2Mj.0123456789',
    aud: 'https://self-issued.me/v2',
    dcql_query: { credentials: [membership] },
    ...object,
  }
  const chain = x5c.map(({ certificate }) => certificate.der.toString('base64'))
  const parts = [{ alg: 'ES256', typ: 'oauth-authz-req+jwt', x5c: chain }, payload]
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const key = createPrivateKey(readFileSync(signer.keyFile))
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  return `openid4vp://?client_id=${encodeURIComponent(clientId)}&request=${text}.${signature}`
}
/** A person whose organisation trusts the readers' root for these purposes. */
async function person(purposes: ('issuer' | 'verifier' | 'status')[] = ['verifier']) {
  const caller = await bench.person()
  await createTrustedEntity(bench.platform, caller, { name: 'Readers', certificates: [root.pem], purposes })
  return caller
}

test('a verifier with a trusted certificate is known by its DNS name or by the hash of the certificate', async () => {
  const caller = await person()
  for (const clientId of ['x509_san_dns:localhost', hashOf(reader)]) {
    const { meta } = await preparePresentation(bench.platform, caller, link(clientId))
    assert.partialDeepStrictEqual(meta.verifier, {
      clientId,
      name: 'CN=Reader,C=ZA',
      responseHost: 'localhost:1',
      authenticated: true,
      trusted: true,
      basis: {
        entity: { name: 'Readers' },
        certificate: { subject: 'CN=Reader,C=ZA', root: root.certificate.subject.text },
      },
    })
    assert.equal(Object(meta.verifier).basis.lookedFor, undefined)
  }
})

const elsewhere = make({
  issuer: root,
  extensions: [...leafExtensions.slice(0, 3), names('*.localhost', 'other.example')],
})
const signer = make({ issuer: root, extensions: ['keyUsage = digitalSignature', 'extendedKeyUsage = 1.0.18013.5.1.2'] })
const foreign = make({ issuer: make({ subject: '/C=ZA/CN=Readers', extensions: rootExtensions }) })
const expired = make({ issuer: root, until: '210101000000Z' })

for (const [what, code, change] of [
  ['has another name', 'presentation_request.client', { x5c: [elsewhere], signer: elsewhere }],
  ['is under a foreign root of the same name', 'presentation_request.client', { x5c: [foreign], signer: foreign }],
  ['is one for issuing', 'presentation_request.client', { x5c: [signer], signer, clientId: hashOf(signer) }],
  ['has expired', 'presentation_request.client', { x5c: [expired], signer: expired }],
  ['is the root itself', 'presentation_request.client', { x5c: [root], signer: root, clientId: hashOf(root) }],
  ['is not the one of the hash', 'presentation_request.invalid', { clientId: hashOf(elsewhere) }],
  ['is not the one that signed', 'presentation_request.invalid', { signer: elsewhere }],
  ['does not come along', 'presentation_request.invalid', { x5c: [] }],
] as const) {
  test(`a verifier whose certificate ${what} is refused`, async () => {
    const { clientId = 'x509_san_dns:localhost', ...rest }: Change = change
    const fetching = fetchRequest(bench.platform, (await person()).tenantId, link(clientId, rest))
    await assert.rejects(fetching, { code, ...(rest.x5c?.length === 0 && { detail: /no certificate chain in x5c/ }) })
  })
}

test('an answer goes to the host of the certificate only (5.9.3)', async () => {
  const object = { response_uri: 'http://127.0.0.1:1/answers' }
  const fetching = fetchRequest(bench.platform, (await person()).tenantId, link('x509_san_dns:localhost', { object }))
  await assert.rejects(fetching, { code: 'presentation_request.invalid' })
})

test('[X5-4] a root that is trusted for issuing vouches for no verifier', async () => {
  const { tenantId } = await person(['issuer', 'status'])
  await assert.rejects(fetchRequest(bench.platform, tenantId, link(hashOf(reader))), {
    code: 'presentation_request.client',
  })
})

test('a root that another organisation trusts is not trusted here: the verifier is known only by the host of the response_uri', async () => {
  await person()
  const caller = await bench.person()
  for (const clientId of ['x509_san_dns:localhost', hashOf(reader)]) {
    const { meta } = await preparePresentation(bench.platform, caller, link(clientId))
    assert.partialDeepStrictEqual(meta.verifier, { clientId, name: 'localhost:1', authenticated: true, trusted: false })
    const subject = root.certificate.subject.text
    assert.deepEqual(Object(meta.verifier).basis, {
      certificate: { subject: 'CN=Reader,C=ZA', root: subject },
      lookedFor: [subject],
    })
  }
})

test('an unknown root does not vouch for an answer to another host, and the refusal names the root and how to trust it', async () => {
  const { tenantId } = await bench.person()
  const operation = 'POST http://localhost:1/creds/trusted-entities'
  const object = { response_uri: 'http://127.0.0.1:1/answers' }
  for (const [x5c, fingerprint] of [
    [[reader], null],
    [[reader, root], root.certificate.fingerprint],
  ] as const) {
    const refusal = await fault(fetchRequest(bench.platform, tenantId, link(hashOf(reader), { object, x5c })))
    assert.equal(refusal.code, 'presentation_request.client')
    assert.ok(
      refusal.detail?.includes('Trust the root CN=Readers,C=ZA') && refusal.detail.includes(operation),
      refusal.detail ?? '',
    )
    assert.partialDeepStrictEqual(refusal.meta, {
      trust: { operation, root: { subject: 'CN=Readers,C=ZA', fingerprint } },
    })
  }
})

test('a certificate under an unknown root has every other property of a valid one, or it is refused', async () => {
  const { tenantId } = await bench.person()
  const stranger = make({ subject: '/C=ZA/CN=Strangers', extensions: rootExtensions })
  const issued = (wish: Partial<CertInput>) => {
    const leaf = make({ issuer: stranger, ...wish })
    return fetchRequest(bench.platform, tenantId, link(hashOf(leaf), { x5c: [leaf], signer: leaf }))
  }
  assert.equal((await issued({})).verifier.trusted, false)
  const forIssuing = ['keyUsage = digitalSignature', 'extendedKeyUsage = 1.0.18013.5.1.2', names('localhost')]
  for (const wish of [{ until: '210101000000Z' }, { extensions: forIssuing }])
    await assert.rejects(issued(wish), { code: 'presentation_request.client' })
})

test('an organisation whose verifierPolicy is `trusted` refuses other verifiers, however they are authenticated', async () => {
  const trusting = await person()
  const careful = await bench.person()
  for (const { tenantId } of [trusting, careful]) await setVerifierPolicy(tenantId)
  const { verifier } = await fetchRequest(bench.platform, trusting.tenantId, link(hashOf(reader)))
  assert.equal(verifier.trusted, true)
  for (const request of [link(hashOf(reader)), plainLink()]) {
    const fetching = fetchRequest(bench.platform, careful.tenantId, request)
    await assert.rejects(fetching, { code: 'presentation_request.client' })
  }
})

/** An unsigned request, by value. */
function plainLink(): string {
  const answers = 'http://localhost:1/answers'
  const parameters = {
    client_id: `redirect_uri:${answers}`,
    response_type: 'vp_token',
    response_mode: 'direct_post',
    response_uri: answers,
    nonce: 'n-0S6_WzA2Mj.0123456789',
    state: 'st',
    dcql_query: JSON.stringify({ credentials: [membership] }),
  }
  return `openid4vp://?${new URLSearchParams(parameters)}`
}

async function setVerifierPolicy(tenantId: TenantId): Promise<void> {
  const settings = JSON.stringify({ verifierPolicy: 'trusted' })
  await bench.platform.store.across('test set-up', (tx) => tx.rows(setSettings, [tenantId, settings]))
  forgetTenants(bench.platform)
}
