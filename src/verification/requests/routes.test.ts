import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { send, startVerifier, type Verifier } from '../test-support/verifier.ts'

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(() => verifier.close())

const template = {
  name: 'Members',
  description: 'Who is a member',
  credentials: [
    {
      type: 'https://types.example/membership',
      name: 'card',
      attributes: { given_name: {}, address: { properties: { locality: { type: 'string' } } } },
    },
  ],
}
const unknownId = '0198c5f4-0000-7000-8000-000000000000'

test('a template is returned as in the contract; members of request bodies only are in meta', async () => {
  const { ask } = await verifier.aTenant()
  const [credential] = template.credentials
  const config = { signer: 'did:web', later: { kept: true } }
  const made = await ask('POST', '/templates/presentations', {
    ...template,
    credentials: [{ ...credential, issuers: ['did:web:a.example'], trustedIssuers: [] }],
    verifierConfig: config,
  })
  assert.equal(made.status, 201)
  const { id, createdAt, updatedAt, ...rest } = made.body.data
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(rest, { ...template, credentials: [{ ...credential, format: 'sd-jwt-vc' }] })
  const read = await ask('GET', `/templates/presentations/${id}`)
  assert.deepEqual(read.body, made.body)
  assert.deepEqual(read.body.meta, {
    verifierConfig: config,
    retentionSeconds: null,
    credentials: [{ issuers: ['did:web:a.example'], trustedIssuers: [] }],
  })
})

test('a template may name issuers by DID, https address and key identifier, or allow any issuer', async () => {
  const { ask } = await verifier.aTenant()
  const named = ['did:web:a.example:b', 'https://issuer.example/x', 'a'.repeat(40), 'AB'.repeat(20)]
  for (const issuers of [named, ['*'], []]) {
    const credentials = [{ ...template.credentials[0], issuers }]
    const { status, body } = await ask('POST', '/templates/presentations', { ...template, credentials })
    assert.deepEqual([status, body.meta?.credentials[0].issuers], [201, issuers], JSON.stringify(body))
  }
})

test('the response has all violations of the content of a template', async () => {
  const { ask } = await verifier.aTenant()
  const [credential] = template.credentials
  const { status, body } = await ask('POST', '/templates/presentations', {
    ...template,
    credentials: [{ ...credential, issuers: ['bar'], attributes: { a: { type: 'colour' } } }],
    verifierConfig: { redirectUri: 'javascript:alert(1)' },
  })
  const pointers = body.errors.map((one: { source: { pointer: string } }) => one.source.pointer)
  const content = ['/credentials/0/attributes/a/type', '/credentials/0/issuers/0', '/verifierConfig/redirectUri']
  assert.deepEqual([status, pointers.sort()], [400, content])
})

test('the response has the violations of the attributes of a template that its schema refuses as well', async () => {
  const { ask } = await verifier.aTenant()
  const [credential] = template.credentials
  const bad = { ...credential, attributes: { a: { type: 'colour' } }, colour: 'red' }
  const credentials = [{ type: 7, attributes: [] }, bad, { ...bad, format: 'jpeg' }, 'none']
  const { status, body } = await ask('POST', '/templates/presentations', { ...template, name: '', credentials })
  const pointers = body.errors.map((one: { source: { pointer: string } }) => one.source.pointer)
  assert.deepEqual(
    [status, pointers.sort()],
    [
      400,
      [
        '/credentials/0/attributes',
        '/credentials/0/type',
        '/credentials/1/attributes/a/type',
        '/credentials/1/colour',
        '/credentials/2/colour',
        '/credentials/2/format',
        '/credentials/3',
        '/name',
      ],
    ],
  )
})

test('PUT replaces everything and keeps the id', async () => {
  const { ask } = await verifier.aTenant()
  const made = await ask('POST', '/templates/presentations', { ...template, verifierConfig: { expiresInSeconds: 60 } })
  const next = { name: 'Other', description: '', credentials: [{ type: 'v', attributes: {} }] }
  const { status, body } = await ask('PUT', `/templates/presentations/${made.body.data.id}`, next)
  assert.equal(status, 200)
  assert.deepEqual(
    { ...body.data, updatedAt: '' },
    {
      ...next,
      id: made.body.data.id,
      createdAt: made.body.data.createdAt,
      updatedAt: '',
      credentials: [{ type: 'v', format: 'sd-jwt-vc', attributes: {} }],
    },
  )
  assert.equal(body.meta.verifierConfig, null)
})

test('of writers that replace the state they read, one replaces it, and the others are told', async () => {
  const acme = await verifier.aTenant()
  const made = await acme.ask('POST', '/templates/presentations', template)
  const path = `/templates/presentations/${made.body.data.id}`
  const replace = (name: string, ifMatch: string) =>
    send(`${verifier.url}/creds${path}`, {
      method: 'PUT',
      headers: {
        authorization: `${acme.slug} verification:write`,
        'content-type': 'application/json',
        'if-match': ifMatch,
      },
      body: JSON.stringify({ ...template, name }),
    })
  const tag = async () => (await acme.ask('GET', path)).headers.get('etag') ?? ''
  const first = await tag()
  assert.equal(first, made.headers.get('etag'))
  const answers = await Promise.all(['A', 'B', 'C', 'D'].map((name) => replace(name, first)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412])
  const [done] = answers.filter(({ status }) => status === 200)
  assert.equal(done?.headers.get('etag'), await tag())
  assert.notEqual(await tag(), first)
  const late = await replace('late', first)
  assert.deepEqual([late.status, late.body.errors[0].code], [412, 'PRECONDITION_FAILED'])
  assert.deepEqual((await acme.ask('GET', path)).body.data, done?.body.data)
  assert.equal((await replace('known', `"other", ${await tag()}`)).status, 200)
  assert.equal((await replace('whatever', '*')).status, 200)
  const before = await tag()
  assert.equal((await acme.ask('PUT', path, template)).status, 200)
  assert.notEqual(await tag(), before)
  assert.equal((await acme.ask('DELETE', path)).status, 200)
  assert.equal((await replace('gone', '*')).status, 404)
})

test('an archived, an unknown, a malformed and a foreign id are the same 404', async () => {
  const [one, other] = [await verifier.aTenant(), await verifier.aTenant()]
  const id = (await one.ask('POST', '/templates/presentations', template)).body.data.id
  assert.equal((await other.ask('GET', `/templates/presentations/${id}`)).status, 404)
  assert.equal((await one.ask('DELETE', `/templates/presentations/${id}`)).status, 200)
  for (const path of [id, unknownId, 'x']) {
    for (const [method, body] of [['GET'], ['PUT', template], ['DELETE']] as const) {
      const answer = await one.ask(method, `/templates/presentations/${path}`, body)
      assert.deepEqual([answer.status, answer.body.errors[0].code], [404, 'NOT_FOUND'])
    }
    const created = await one.ask('POST', '/presentations/request', { presentationTemplateId: path })
    assert.equal(created.status, 404)
  }
  assert.deepEqual((await one.ask('GET', '/templates/presentations')).body.data, [])
})

for (const [what, change, pointer] of [
  ['no name', { name: undefined }, '/name'],
  ['no description', { description: undefined }, '/description'],
  ['no credentials', { credentials: undefined }, '/credentials'],
  ['an empty list of credentials', { credentials: [] }, '/credentials'],
  ['an unknown member', { more: 1 }, '/more'],
  ['a redirect to a script', { verifierConfig: { redirectUri: 'javascript:alert(1)' } }, '/verifierConfig/redirectUri'],
  [
    'a credential set with an unknown name',
    { verifierConfig: { credentialSets: [{ options: [['card'], ['other']] }] } },
    '/verifierConfig/credentialSets/0/options/1/0',
  ],
  [
    'a did:web with an Ed25519 key',
    { verifierConfig: { signer: 'did:web', keyType: 'Ed25519' } },
    '/verifierConfig/keyType',
  ],
  [
    'a did:web with a prefix for certificates',
    { verifierConfig: { signer: 'did:web', clientIdPrefix: 'x509_hash' } },
    '/verifierConfig/clientIdPrefix',
  ],
  ['an unknown key type', { verifierConfig: { keyType: 'P-384' } }, '/verifierConfig/keyType'],
  [
    'a trusted entity that does not exist',
    { credentials: [{ ...template.credentials[0], trustedIssuers: ['x'] }] },
    '/credentials/0/trustedIssuers/0',
  ],
  ...[
    'bar',
    'did:',
    'did:web:a.example#0',
    'http://issuer.example',
    'https://issuer.example?a=b',
    'abc',
    'AB CD',
    'https://user@issuer.example',
    'x'.repeat(40),
  ].map(
    (name) =>
      [
        `an issuer ${name} that is no issuer`,
        { credentials: [{ ...template.credentials[0], issuers: ['did:web:a.example', name] }] },
        '/credentials/0/issuers/1',
      ] as const,
  ),
  [
    'any issuer beside a named one',
    { credentials: [{ ...template.credentials[0], issuers: ['did:web:a.example', '*'] }] },
    '/credentials/0/issuers/1',
  ],
  [
    'any issuer beside trusted entities',
    { credentials: [{ ...template.credentials[0], issuers: ['*'], trustedIssuers: [unknownId] }] },
    '/credentials/0/issuers/0',
  ],
  [
    'an attribute of unknown type',
    { credentials: [{ type: 'v', attributes: { 'a/b': { type: 'colour' } } }] },
    '/credentials/0/attributes/a~1b/type',
  ],
] as const) {
  test(`a template with ${what} is refused with a pointer to it, by POST and by PUT`, async () => {
    const { ask } = await verifier.aTenant()
    const id = (await ask('POST', '/templates/presentations', template)).body.data.id
    for (const [method, path] of [
      ['POST', ''],
      ['PUT', `/${id}`],
    ] as const) {
      const { status, body } = await ask(method, `/templates/presentations${path}`, { ...template, ...change })
      assert.deepEqual([status, body.errors[0].code, body.errors[0].source.pointer], [400, 'VALIDATION_ERROR', pointer])
    }
  })
}

for (const [what, change, status, code] of [
  ['signed with a certificate', { verifierConfig: { signer: 'certificate' } }, 409, 'NO_ACTIVE_CERTIFICATE'],
] as const) {
  test(`a template ${what} is stored, and a request from it is refused with ${code}`, async () => {
    const { ask } = await verifier.aTenant()
    const made = await ask('POST', '/templates/presentations', { ...template, ...change })
    assert.equal(made.status, 201)
    const { status: answered, body } = await ask('POST', '/presentations/request', {
      presentationTemplateId: made.body.data.id,
    })
    assert.deepEqual([answered, body.errors[0].code], [status, code])
  })
}

test('a request has the URLs for a wallet and the given lifetime', async () => {
  const { ask, slug } = await verifier.aTenant()
  const id = (await ask('POST', '/templates/presentations', { ...template, verifierConfig: { expiresInSeconds: 90 } }))
    .body.data.id
  const { status, body } = await ask('POST', '/presentations/request', { presentationTemplateId: id, reference: 'r-1' })
  assert.equal(status, 200)
  const { authorizationRequestUri, authorizationRequestQrUri, createdAt, updatedAt, expiresAt, ...more } = body.data
  const { requestPageUri, ...rest } = more
  assert.deepEqual(rest, {
    id: rest.id,
    status: 'requested',
    error: null,
    presentationTemplateId: id,
    reference: 'r-1',
    credentials: [],
    templateName: 'Members',
  })
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 90_000)
  assert.equal(createdAt, updatedAt)
  const link = new URL(authorizationRequestUri)
  assert.equal(link.searchParams.get('client_id'), `decentralized_identifier:${verifier.platform.urls.did(slug)}`)
  assert.match(
    link.searchParams.get('request_uri') ?? '',
    new RegExp(`^${verifier.url}/verifiers/${slug}/requests/[\\w-]{43}$`),
  )
  const token = link.searchParams.get('request_uri')?.split('/').at(-1)
  assert.equal(requestPageUri, `${verifier.platform.urls.publicUrl}/request/${slug}/${token}`)
  assert.equal(new URL(authorizationRequestQrUri).search, link.search)
  const image = await fetch(authorizationRequestQrUri)
  assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/svg+xml'])
})

test('templates are searched by a part of their name, whatever its case', async () => {
  const { ask } = await verifier.aTenant()
  for (const name of ['Members', 'Graduates', 'Members of Honour', '100%']) {
    assert.equal((await ask('POST', '/templates/presentations', { ...template, name })).status, 201)
  }
  const found = async (text: string) =>
    (await ask('GET', `/templates/presentations?sort=name&search[name]=${encodeURIComponent(text)}`)).body.data.map(
      ({ name }: { name: string }) => name,
    )
  assert.deepEqual(await found('member'), ['Members', 'Members of Honour'])
  assert.deepEqual(await found('%'), ['100%'])
  assert.deepEqual(await found('none of them'), [])
})

test('an open request can be canceled once; then it is expired', async () => {
  const { ask } = await verifier.aTenant()
  const templateId = (await ask('POST', '/templates/presentations', template)).body.data.id
  const { id } = (await ask('POST', '/presentations/request', { presentationTemplateId: templateId })).body.data
  const canceled = await ask('DELETE', `/presentations/${id}`)
  assert.deepEqual([canceled.status, canceled.body.data.status, canceled.body.data.error.code], [200, 'expired', 410])
  const again = await ask('DELETE', `/presentations/${id}`)
  assert.deepEqual([again.status, again.body.errors[0].code], [409, 'INVALID_STATE'])
  assert.equal((await ask('DELETE', `/presentations/${unknownId}`)).status, 404)
})

test('requests are listed newest first, page by page, and by status, reference and template', async () => {
  const { ask } = await verifier.aTenant()
  const templateId = (await ask('POST', '/templates/presentations', template)).body.data.id
  const ids: string[] = []
  for (const reference of ['a', 'b', 'c']) {
    ids.unshift(
      (await ask('POST', '/presentations/request', { presentationTemplateId: templateId, reference })).body.data.id,
    )
  }
  await ask('DELETE', `/presentations/${ids[2]}`)
  const list = async (query: string) =>
    (await ask('GET', `/presentations?${query}`)).body.data.map((one: { id: string }) => one.id)
  assert.deepEqual(await list(''), ids)
  assert.deepEqual(await list('sort=createdAt'), ids.toReversed())
  assert.deepEqual(await list(`page[size]=1&page[after]=${ids[0]}`), [ids[1]])
  assert.deepEqual(await list('filter[reference]=b'), [ids[1]])
  assert.deepEqual(await list('filter[status]=expired'), [ids[2]])
  assert.deepEqual(await list('filter[status]=requested'), ids.slice(0, 2))
  assert.deepEqual(await list(`filter[presentationTemplateId]=${unknownId}`), [])
})

test('reading needs verification:read, writing verification:write [VP-F4]', async () => {
  const { ask } = await verifier.aTenant()
  for (const [method, path, scope] of [
    ['GET', '/templates/presentations', 'verification:write'],
    ['POST', '/templates/presentations', 'verification:read'],
    ['POST', '/presentations/request', 'verification:read'],
    ['GET', '/presentations', 'verification:write'],
    ['GET', `/presentations/${crypto.randomUUID()}`, 'verification:write'],
  ] as const) {
    const { status } = await ask(method, path, method === 'POST' ? {} : undefined, scope)
    assert.equal(status, 403)
  }
})
