import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { authorityKeyIdsOf } from '../../crypto/x509/authority-key-ids.ts'
import { leafExtensions, type Made, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { trustOf } from '../../trust/issuers/is-trusted.ts'
import {
  createTrustedEntity,
  removeTrustedEntity,
  updateTrustedEntity,
} from '../../trust/trusted-entities/trusted-entities.ts'
import { checkIssuer } from '../responses/check-issuer.ts'
import { anIssuer, membership } from '../test-support/holder.ts'
import { aPresentation, aRequest, issuer, type Tampering } from '../test-support/presentation-request.ts'
import { type Backend, callerOf, startVerifier, type Verifier } from '../test-support/verifier.ts'

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const [root, other] = ['Root', 'Other'].map((name) =>
  tool.make({ subject: `/C=ZA/CN=${name}`, extensions: rootExtensions, ...years }),
)
assert(root !== undefined && other !== undefined)
const middle = tool.make({ subject: '/C=ZA/CN=Middle', extensions: rootExtensions, issuer: root, ...years })
const leaf = tool.make({ subject: '/C=ZA/CN=Leaf', extensions: leafExtensions, issuer: middle, ...years })

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(async () => {
  await verifier.close()
  tool.remove()
})

async function entity(backend: Backend, body: object): Promise<string> {
  return (await createTrustedEntity(verifier.platform, callerOf(backend), { name: 'One', ...body })).id
}

/** A credential with `x5c`. */
function certified(iss = 'https://issuer.example', chain: readonly Made[] = [leaf, middle]): Tampering {
  const privateKey = createPrivateKey(readFileSync(leaf.keyFile))
  const by = anIssuer({ privateKey, jwk: createPublicKey(privateKey).export({ format: 'jwk' }) })
  const x5c = chain.map(({ certificate }) => certificate.der.toString('base64'))
  return { by, about: { header: { x5c }, payload: { iss } } }
}

/** The result of a response to a template with these issuers. */
async function outcome(backend: Backend, credential: object, tampering: Tampering = {}) {
  const request = await aRequest(verifier, { backend, credential: { issuers: [], ...credential } })
  await request.answer({ c0: [await aPresentation(request, tampering)] })
  const { status, credentials } = await request.result()
  const [{ isValid, issuer: named, issues, attributes }] = credentials
  assert.equal(isValid, status === 'verified')
  assert.equal(Object.keys(attributes).length > 0, isValid)
  return [status, named, issues.map(({ code }: { code: string }) => code)]
}

test('a template with trusted entities accepts the credentials of their DIDs only', async () => {
  const backend = await verifier.aTenant()
  const [ours, others] = [
    await entity(backend, { dids: [{ did: 'did:web:a.example' }, { did: issuer.did }] }),
    await entity(backend, { dids: [{ did: 'did:web:b.example' }] }),
  ]
  assert.deepEqual(await outcome(backend, { trustedIssuers: [ours] }), ['verified', issuer.did, []])
  assert.deepEqual(await outcome(backend, { trustedIssuers: [others, ours] }), ['verified', issuer.did, []])
  assert.deepEqual(await outcome(backend, { trustedIssuers: [others] }), ['failed', null, ['issuer.not_trusted']])
  // either list is enough
  const both = { trustedIssuers: [others], issuers: [issuer.did] }
  assert.deepEqual(await outcome(backend, both), ['verified', issuer.did, []])
})

test('an entity with other purposes vouches for no issuer', async () => {
  const backend = await verifier.aTenant()
  const id = await entity(backend, { dids: [{ did: issuer.did }], purposes: ['verifier', 'status'] })
  assert.deepEqual(await outcome(backend, { trustedIssuers: [id] }), ['failed', null, ['issuer.not_trusted']])
})

test('a credential with a certificate is accepted under a trusted root, and only that of the named entity if the template has one', async () => {
  const backend = await verifier.aTenant()
  const known = ['verified', 'https://issuer.example']
  const unlimited = { issuers: ['*'] }
  const unrooted = ['failed', null, ['chain.no_anchor', 'issuer.not_restricted']]
  assert.deepEqual(await outcome(backend, unlimited, certified()), unrooted)
  const rooted = await entity(backend, { certificates: [root.pem] })
  const strangers = await entity(backend, { certificates: [other.pem], dids: [{ did: issuer.did }] })
  // a trusted intermediate does not hide the root
  await entity(backend, { certificates: [middle.pem] })
  assert.deepEqual(await outcome(backend, unlimited, certified()), [...known, ['issuer.not_restricted']])
  assert.deepEqual(await outcome(backend, {}, certified()), [...known, []])
  assert.deepEqual(await outcome(backend, { trustedIssuers: [rooted] }, certified()), [...known, []])
  const refused = await outcome(backend, { trustedIssuers: [strangers] }, certified())
  assert.deepEqual(refused, ['failed', 'https://issuer.example', ['issuer.not_trusted']])
  // [VC-20] a certificate does not prove the DID of another entity
  const steered = await outcome(backend, { trustedIssuers: [strangers] }, certified(issuer.did))
  assert.deepEqual(steered, ['failed', null, ['issuer.name', 'issuer.not_trusted']])
})

test('the query may name the certificates of the trusted entities, so that a wallet proposes only credentials under them', async () => {
  const backend = await verifier.aTenant()
  const both = [
    await entity(backend, { certificates: [root.pem] }),
    await entity(backend, { certificates: [middle.pem] }),
  ]
  const credential = { issuers: [], trustedIssuers: both, trustedIssuersInQuery: true }
  const request = await aRequest(verifier, { backend, credential })
  const [asked] = (request.object.dcql_query as { credentials: { trusted_authorities: { values: string[] }[] }[] })
    .credentials
  const idOf = ({ certificate }: Made) => certificate.extensions.subjectKeyId?.toString('base64url') ?? ''
  assert.deepEqual(asked?.trusted_authorities, [{ type: 'aki', values: asked?.trusted_authorities[0]?.values }])
  assert.deepEqual(asked?.trusted_authorities[0]?.values.toSorted(), [root, middle].map(idOf).sort())
  const chain = [leaf, middle].map(({ certificate }) => certificate.der)
  assert.deepEqual(authorityKeyIdsOf(chain).toSorted(), asked?.trusted_authorities[0]?.values.toSorted())
  await request.answer({ c0: [await aPresentation(request, certified())] })
  assert.equal((await request.result()).status, 'verified')
  const alone = { type: membership, attributes: {}, trustedIssuersInQuery: true }
  const refused = await backend.ask('POST', '/templates/presentations', {
    name: 'M',
    description: '',
    credentials: [alone],
  })
  assert.deepEqual(
    [refused.status, refused.body.errors[0].source.pointer],
    [400, '/credentials/0/trustedIssuersInQuery'],
  )
})

test('an issuer may be allowed by the subject key identifier of a certificate of its path', async () => {
  const backend = await verifier.aTenant()
  await entity(backend, { certificates: [root.pem] })
  const idOf = ({ certificate }: Made) => certificate.extensions.subjectKeyId?.toString('hex') ?? ''
  for (const one of [leaf, middle, root]) {
    const [status] = await outcome(backend, { issuers: [idOf(one).toUpperCase()] }, certified())
    assert.equal(status, 'verified')
  }
  const refused = await outcome(backend, { issuers: [idOf(other)] }, certified())
  assert.deepEqual(refused.at(-1), ['issuer.not_allowed'])
})

test('a template without issuers accepts the credentials of the organisation and of its trusted entities only', async () => {
  const backend = await verifier.aTenant()
  assert.deepEqual(await outcome(backend, {}), ['failed', null, ['issuer.not_trusted']])
  assert.deepEqual(await outcome(backend, { trustedIssuers: [] }), ['failed', null, ['issuer.not_trusted']])
  await entity(backend, { dids: [{ did: issuer.did }] })
  assert.deepEqual(await outcome(backend, {}), ['verified', issuer.did, []])
})

test('without issuers a type under an issuer address of this deployment is accepted from that tenant only, with "*" too', async () => {
  const [backend, neighbour] = [await verifier.aTenant(), await verifier.aTenant()]
  await entity(backend, { dids: [{ did: 'did:web:trusted.example' }] })
  const { urls } = verifier.platform
  const trust = trustOf(verifier.platform, backend.tenantId)
  const [ours, theirs] = [backend.slug, neighbour.slug]
  const card = (slug: string) => `${urls.issuer(slug)}/vct/card`
  for (const [type, by, byDefault, withAny] of [
    [membership, urls.did(ours), [], ['issuer.not_restricted']],
    [membership, urls.issuer(ours), [], ['issuer.not_restricted']],
    [membership, 'did:web:trusted.example', [], ['issuer.not_restricted']],
    [membership, urls.did(theirs), ['issuer.not_trusted'], ['issuer.not_restricted']],
    [card(ours), urls.did(ours), [], []],
    [card(ours), urls.did(theirs), ['issuer.not_allowed'], ['issuer.not_allowed']],
    [card(ours), 'did:web:trusted.example', ['issuer.not_allowed'], ['issuer.not_allowed']],
    [card(theirs), urls.did(theirs), [], []],
    [card(theirs), urls.issuer(theirs), [], []],
    [card(theirs), urls.did(ours), ['issuer.not_allowed'], ['issuer.not_allowed']],
    [card(`${theirs}x`), urls.did(theirs), ['issuer.not_allowed'], ['issuer.not_allowed']],
    [urls.issuer(''), urls.did(''), ['issuer.not_trusted'], ['issuer.not_restricted']],
  ] as const) {
    const mechanism = by.startsWith('did:') ? ('did' as const) : ('jwt-vc-issuer' as const)
    const claimed = { issuer: by, mechanism, trusted: true, chain: null, keyIds: [] }
    const codes = async (issuers: string[]) => {
      const credential = { type, format: 'sd-jwt-vc', attributes: {}, issuers } as const
      const found = await checkIssuer(claimed, { credential, trust, verifier: { urls, slug: ours } })
      return found.issues.map(({ code }) => code)
    }
    assert.deepEqual([type, by, await codes([]), await codes(['*'])], [type, by, byDefault, withAny])
  }
})

test('a credential of a type of the organisation that a stranger signed is valid only where it is named', async () => {
  const backend = await verifier.aTenant()
  const type = `${verifier.platform.urls.issuer(backend.slug)}/vct/card`
  const byStranger = { about: { vct: type } }
  const refused = ['failed', null, ['issuer.not_allowed']]
  assert.deepEqual(await outcome(backend, { type, issuers: ['*'] }, byStranger), refused)
  assert.deepEqual(await outcome(backend, { type, issuers: [issuer.did] }, byStranger), ['verified', issuer.did, []])
  const named = await entity(backend, { dids: [{ did: issuer.did }] })
  const vouched = await outcome(backend, { type, trustedIssuers: [named] }, byStranger)
  assert.deepEqual(vouched, ['verified', issuer.did, []])
})

test('an open request keeps the trusted entities of its template, whose DIDs are read when the response is checked', async () => {
  const backend = await verifier.aTenant()
  const caller = callerOf(backend)
  const id = await entity(backend, { dids: [{ did: issuer.did }] })
  const ask = async () => aRequest(verifier, { backend, credential: { issuers: [], trustedIssuers: [id] } })
  const [first, second, third] = [await ask(), await ask(), await ask()]
  const end = async (request: typeof first) => {
    await request.answer({ c0: [await aPresentation(request)] })
    return (await request.result()).status
  }
  assert.equal(await end(first), 'verified')
  await updateTrustedEntity(verifier.platform, caller, id, { name: 'Empty' })
  assert.equal(await end(second), 'failed')
  await removeTrustedEntity(verifier.platform, caller, id)
  assert.equal(await end(third), 'failed')
})

test('a template accepts existing entities of its own tenant only, and has them in meta', async () => {
  const [backend, stranger] = [await verifier.aTenant(), await verifier.aTenant()]
  const id = await entity(backend, {})
  const template = (trustedIssuers: string[]) => ({
    name: 'T',
    description: '',
    credentials: [{ type: 'x', attributes: {}, trustedIssuers }],
  })
  const made = await backend.ask('POST', '/templates/presentations', template([id.toUpperCase()]))
  assert.deepEqual([made.status, made.body.meta.credentials], [201, [{ issuers: [], trustedIssuers: [id] }]])
  const gone = '0198c5f4-0000-7000-8000-000000000000'
  for (const [by, ids, pointer] of [
    [backend, [id, gone], '/credentials/0/trustedIssuers/1'],
    [stranger, [id], '/credentials/0/trustedIssuers/0'],
  ] as const) {
    const { status, body } = await by.ask('POST', '/templates/presentations', template([...ids]))
    assert.deepEqual([status, body.errors[0].source.pointer], [400, pointer])
  }
})
