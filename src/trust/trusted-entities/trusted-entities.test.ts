import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { leafExtensions, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const root = tool.make({ subject: '/C=ZA/CN=Root', extensions: rootExtensions, ...years })
const leaf = tool.make({ subject: '/C=ZA/CN=Leaf', extensions: leafExtensions, issuer: root, ...years })
const past = tool.make({
  subject: '/C=ZA/CN=Past',
  extensions: rootExtensions,
  from: '200101000000Z',
  until: '210101000000Z',
})
const weak = tool.make({ subject: '/C=ZA/CN=Weak', extensions: rootExtensions, key: 'rsa1024', ...years })

const alone = tool.make({ subject: '/C=ZA/CN=Alone', extensions: leafExtensions, ...years })

let chirograph: Deployment
let school: Api
before(async () => {
  chirograph = await deploy({}, {}, { globex: { haip: true } })
  school = await chirograph.backend('acme')
})
after(async () => {
  await chirograph.stop()
  tool.remove()
})

async function add(body: object) {
  const made = await school.post('/creds/trusted-entities', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body
}

test('an entity is shown as it was given, with what its certificates say in meta', async () => {
  const dids = [{ did: 'did:web:uc.example', name: 'Registrar' }, { did: 'did:key:z6Mk' }]
  const { data, meta } = await add({
    name: 'University',
    dids,
    certificates: [root.pem.replaceAll('\n', '\r\n')],
    issuers: ['https://uc.example/issuer'],
    purposes: ['verifier', 'issuer'],
    signerUsages: ['none', '1.2.3'],
  })
  const { id, createdAt, updatedAt, ...rest } = data
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(rest, {
    name: 'University',
    dids,
    certificates: [root.pem],
    issuers: ['https://uc.example/issuer'],
    purposes: ['verifier', 'issuer'],
    signerUsages: ['none', '1.2.3'],
  })
  assert.partialDeepStrictEqual(meta.certificates, [
    {
      subject: 'CN=Root,C=ZA',
      subjectKeyIdentifier: root.certificate.extensions.subjectKeyId?.toString('hex'),
      notAfter: '2049-12-31T23:59:59.000Z',
    },
  ])
  assert.deepEqual((await school.get(`/creds/trusted-entities/${id}`)).body.data, data)
})

test('[X5-4] an entity is trusted as issuer only unless more is said', async () => {
  const { data } = await add({ name: 'Plain' })
  assert.partialDeepStrictEqual(data, {
    dids: [],
    certificates: [],
    issuers: [],
    purposes: ['issuer'],
    signerUsages: [],
  })
})

test('each certificate that cannot be trusted is named with what is wrong with it', async () => {
  const certificates = [root.pem, leaf.pem, 'x', past.pem, weak.pem, root.pem]
  const { status, body } = await school.post('/creds/trusted-entities', { name: 'Bad', certificates })
  assert.equal(status, 422)
  const told = body.errors.map((one: { code: string; detail: string; source: { pointer: string } }) => {
    assert.equal(one.code, 'CERTIFICATE_INVALID')
    return `${one.source.pointer} ${one.detail}`
  })
  assert.equal(told.length, 5)
  for (const [index, wanted] of [
    /certificates\/1 CN=Leaf,C=ZA is not a certification authority/,
    /certificates\/2 It is not well-formed/,
    /certificates\/3 CN=Past,C=ZA: .*expired/,
    /certificates\/4 CN=Weak,C=ZA: .*too weak/,
    /certificates\/5 The certificate is in the list twice/,
  ].entries()) {
    assert.match(told[index], wanted)
  }
})

test('[X5-4] a self-signed certificate is trusted as itself for verifying alone, and not under HAIP', async () => {
  const certificates = [alone.pem]
  const { data } = await add({ name: 'Verifier', certificates, purposes: ['verifier'] })
  assert.deepEqual(data.certificates, certificates)
  for (const purposes of [['issuer'], ['verifier', 'issuer'], ['attester']]) {
    const { status } = await school.post('/creds/trusted-entities', { name: 'Bad', certificates, purposes })
    assert.equal(status, 422, String(purposes))
  }
  const below = { name: 'Bad', certificates: [leaf.pem], purposes: ['verifier'] }
  assert.equal((await school.post('/creds/trusted-entities', below)).status, 422)
  const tenant = await chirograph.backend('globex')
  const entity = { name: 'Verifier', certificates, purposes: ['verifier'] }
  assert.equal((await tenant.post('/creds/trusted-entities', entity)).status, 422)
})

test('the usages of signers are object identifiers or none, and are replaced like the rest', async () => {
  for (const signerUsages of [['any'], ['1'], ['1.2', '1.2']])
    assert.equal((await school.post('/creds/trusted-entities', { name: 'Bad', signerUsages })).status, 400)
  const { data } = await add({ name: 'Usages', signerUsages: ['1.0.18013.5.1.2'] })
  const path = `/creds/trusted-entities/${data.id}`
  const changed = await school.put(path, { name: 'Usages', signerUsages: ['none'] })
  assert.deepEqual(changed.body.data.signerUsages, ['none'])
  assert.deepEqual((await school.get(path)).body.data.signerUsages, ['none'])
})

test('DIDs and addresses that are none, or stand there twice, are refused all at once', async () => {
  const { status, body } = await school.post('/creds/trusted-entities', {
    name: 'Bad',
    dids: [{ did: 'did:web:a.example' }, { did: 'did:web:a.example' }, { did: 'did:web:a.example#key' }, { did: 'x' }],
    issuers: ['http://a.example', 'https://a.example/?x=1', 'https://a.example', 'https://a.example'],
  })
  assert.equal(status, 400)
  assert.deepEqual(
    body.errors.map((one: { source: { pointer: string } }) => one.source.pointer),
    ['/dids/1/did', '/dids/2/did', '/dids/3/did', '/issuers/0', '/issuers/1', '/issuers/3'],
  )
})

test('more than 20 of a kind, and what no schema knows, are refused', async () => {
  const dids = Array.from({ length: 21 }, (_, index) => ({ did: `did:web:${index}.example` }))
  const many = await school.post('/creds/trusted-entities', { name: 'Many', dids })
  assert.deepEqual([many.status, many.body.errors[0].source.pointer], [400, '/dids'])
  const odd = await school.post('/creds/trusted-entities', { name: 'Odd', purposes: ['everything'] })
  assert.deepEqual([odd.status, odd.body.errors[0].source.pointer], [400, '/purposes/0'])
})

test('PUT replaces everything; DELETE leaves nothing', async () => {
  const { data } = await add({ name: 'Before', dids: [{ did: 'did:web:a.example' }], purposes: ['status'] })
  const path = `/creds/trusted-entities/${data.id}`
  const put = await school.put(path, { name: 'After' })
  assert.equal(put.status, 200)
  assert.partialDeepStrictEqual(put.body.data, { id: data.id, name: 'After', dids: [], purposes: ['issuer'] })
  assert.equal((await school.delete(path)).status, 204)
  for (const reply of [await school.get(path), await school.delete(path), await school.put(path, { name: 'x' })]) {
    assert.equal(reply.status, 404)
  }
})

test('the list is paged, and narrowed by DID and by name', async () => {
  const did = 'did:web:listed.example'
  for (const name of ['One listed', 'Two LISTED', 'Three listed']) await add({ name, dids: [{ did, name: 'x' }] })
  const names = (reply: { body: { data: { name: string }[] } }) => reply.body.data.map(({ name }) => name)
  const byDid = `/creds/trusted-entities?filter%5Bdid%5D=${encodeURIComponent(did)}`
  assert.deepEqual(names(await school.get(byDid)), ['Three listed', 'Two LISTED', 'One listed'])
  assert.deepEqual(names(await school.get(`${byDid}&search%5Bname%5D=LISTED&sort=createdAt&page%5Bsize%5D=2`)), [
    'One listed',
    'Two LISTED',
  ])
  const first = await school.get(`${byDid}&page%5Bsize%5D=2`)
  assert.deepEqual(names(await school.get(first.body.links.next)), ['One listed'])
  assert.deepEqual(names(await school.get(`${byDid}x`)), [])
})

test('one tenant does not see whom another trusts', async () => {
  const { data } = await add({ name: 'Ours' })
  const strangers = await chirograph.backend('globex')
  const list = await strangers.get('/creds/trusted-entities?page%5Bsize%5D=100')
  assert(!list.body.data.some(({ id }: { id: string }) => id === data.id))
  assert.equal((await strangers.delete(`/creds/trusted-entities/${data.id}`)).status, 404)
  assert.equal((await school.get(`/creds/trusted-entities/${data.id}`)).status, 200)
})

test('of two replacements from the same state one is made', async () => {
  const { data } = await add({ name: 'Contended' })
  const path = `/creds/trusted-entities/${data.id}`
  const headers = { 'content-type': 'application/json', 'if-match': (await school.get(path)).headers.get('etag') ?? '' }
  const names = ['One', 'Two', 'Three']
  const answers = await Promise.all(names.map((name) => school.send('PUT', path, JSON.stringify({ name }), headers)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412])
})

test('every replacement has a time and a tag of its own, also within a millisecond', async () => {
  const { data } = await add({ name: 'Busy' })
  const path = `/creds/trusted-entities/${data.id}`
  const put = () => school.send('PUT', path, JSON.stringify({ name: 'Same' }), { 'content-type': 'application/json' })
  const answers = await Promise.all(Array.from({ length: 8 }, put))
  assert.equal(new Set(answers.map(({ body }) => body.data.updatedAt)).size, 8)
  assert.equal(new Set(answers.map(({ headers }) => headers.get('etag'))).size, 8)
})
