import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { badge, makeTemplate } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'

const licence = {
  name: 'Fishing licence',
  code: 'fishing',
  format: 'mdoc',
  docType: 'za.example.fishing.1',
  attributes: { 'za.example.fishing': { holder: { type: 'string', required: true } } },
}

let chirograph: Deployment
let school: Api
let employer: Api
before(async () => {
  const settings = { typeListing: 'listed' }
  chirograph = await deploy({}, {}, { acme: settings, globex: settings })
  school = await chirograph.backend('acme')
  employer = await chirograph.backend('globex')
  await school.post('/creds/templates/credentials', {
    ...badge,
    code: 'diploma',
    name: 'Diploma',
    description: 'A degree.',
  })
  const made = await school.post('/creds/templates/credentials', licence)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const old = await makeTemplate(school, 'old')
  await school.delete(`/creds/templates/credentials/${old.id}`)
  await employer.post('/creds/templates/credentials', { ...badge, code: 'staff', name: 'Staff card' })
})
after(() => chirograph.stop())

async function types(caller: Api, query = '?sort=name') {
  const { body, status } = await caller.get(`/creds/types${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data as { id: string; type: string; name: string; format: string }[]
}

test('every token of the deployment finds the types of all listed tenants, and only public data', async () => {
  const idle = await chirograph.idle('globex')
  const holder = await chirograph.wallet('globex', 'thandi')
  for (const caller of [school, employer, idle, holder]) {
    const found = await types(caller)
    const issuer = (slug: string, name: string) => ({
      id: `${chirograph.url}/issuers/${slug}`,
      name,
      metadataUrl: `${chirograph.url}/.well-known/openid-credential-issuer/issuers/${slug}`,
    })
    const acme = issuer('acme', 'Acme College')
    const vct = (slug: string, code: string) => `${chirograph.url}/issuers/${slug}/vct/${code}`
    const [diploma, staff] = [vct('acme', 'diploma'), vct('globex', 'staff')]
    assert.deepEqual(
      found.map(({ id: _, ...rest }) => rest),
      [
        {
          type: diploma,
          format: 'sd-jwt-vc',
          name: 'Diploma',
          description: 'A degree.',
          issuer: acme,
          metadataUrl: diploma,
        },
        {
          type: 'za.example.fishing.1',
          format: 'mdoc',
          name: 'Fishing licence',
          description: null,
          issuer: acme,
          metadataUrl: null,
        },
        {
          type: staff,
          format: 'sd-jwt-vc',
          name: 'Staff card',
          description: null,
          issuer: issuer('globex', 'Globex Corporation'),
          metadataUrl: staff,
        },
      ],
    )
    assert.equal((await chirograph.nobody.get(diploma)).body.vct, diploma)
    assert.equal((await chirograph.nobody.get(acme.metadataUrl)).body.credential_issuer, acme.id)
  }
})

for (const [query, names] of [
  ['?filter[format]=mdoc', ['Fishing licence']],
  ['?filter[format]=sd-jwt-vc', ['Staff card', 'Diploma']],
  ['?filter[type]=za.example.fishing.1', ['Fishing licence']],
  ['?search[name]=PLOM', ['Diploma']],
  ['?search[name]=_', []],
  ['?filter[issuer]=https://other.example', []],
  ['?page[size]=2', ['Staff card', 'Fishing licence']],
  ['?sort=createdAt', ['Diploma', 'Fishing licence', 'Staff card']],
  ['?sort=-name', ['Staff card', 'Fishing licence', 'Diploma']],
] as const) {
  test(`types: ${query}`, async () => {
    assert.deepEqual(
      (await types(employer, query)).map(({ name }) => name),
      names,
    )
  })
}

test('the types of one issuer, a page at a time', async () => {
  const issuer = encodeURIComponent(`${chirograph.url}/issuers/acme`)
  const first = await employer.get(`/creds/types?filter[issuer]=${issuer}&page[size]=1&sort=name`)
  assert.deepEqual([first.body.data.length, first.body.data[0].name], [1, 'Diploma'])
  const second = await employer.get(first.body.links.next)
  assert.equal(second.body.data[0].name, 'Fishing licence')
  assert.equal(second.body.links.next, undefined)
})

test('a template that is archived is listed no more', async () => {
  const template = await makeTemplate(employer, 'soon-gone')
  assert((await types(school)).some(({ type }) => type === template.type))
  await employer.delete(`/creds/templates/credentials/${template.id}`)
  assert(!(await types(school)).some(({ type }) => type === template.type))
})

test('a tenant that did not ask to be listed is found by its own callers only, and finds the others', async (t) => {
  const other = await deploy({}, {}, { acme: { typeListing: 'listed' } })
  t.after(() => other.stop())
  const [acme, globex] = [await other.backend('acme'), await other.backend('globex')]
  const listed = await makeTemplate(acme, 'listed')
  const hidden = await makeTemplate(globex, 'hidden')
  const holder = await other.wallet('globex', 'thandi')
  for (const [caller, found] of [
    [acme, [listed]],
    [globex, [hidden, listed]],
    [holder, [hidden, listed]],
  ] as const) {
    const namesOf = (all: readonly { type: string }[]) => new Set(all.map(({ type }) => type))
    assert.deepEqual(namesOf(await types(caller)), namesOf(found))
  }
  const named = `?filter[type]=${encodeURIComponent(hidden.type)}`
  assert.deepEqual(await types(acme, named), [])
  assert.equal((await other.nobody.get(hidden.type)).status, 200)
})

for (const [parameter, value] of [
  ['filter[format]', 'jwt'],
  ['filter[issuer]', ''],
  ['search[name]', ''],
  ['sort', 'issuer'],
  ['surprise', '1'],
] as const) {
  test(`types: ${parameter}=${value} is refused by name`, async () => {
    const { status, body } = await school.get(`/creds/types?${parameter}=${value}`)
    assert.equal(status, 400)
    assert.equal(body.errors[0].source.parameter, parameter)
  })
}
