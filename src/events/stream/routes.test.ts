import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { until } from '../test-support/events-bench.ts'
import { aReceiver } from '../test-support/receiver.ts'

let chirograph: Deployment
let school: Api
let templateId: string
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  templateId = (await makeTemplate(school, 'badge')).id
})
after(() => chirograph.stop())

async function add(body: object) {
  const made = await school.post('/creds/endpoints', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

test('the secret of an endpoint is shown once; a rotation shows a new one', async () => {
  const url = 'http://localhost:9/once'
  const { secret, ...rest } = await add({ url, filterTypes: ['user.created'] })
  assert.match(secret, /^whsec_/)
  assert.partialDeepStrictEqual(rest, { url, filterTypes: ['user.created'], status: 'active', disabledReason: null })
  const path = `/creds/endpoints/${rest.id}`
  const counts = { dead: 0, delivered: 0, pending: 0 }
  assert.deepEqual((await school.get(path)).body.data, { ...rest, counts })
  const changed = await school.patch(path, { status: 'disabled', filterTypes: [] })
  assert.partialDeepStrictEqual(changed.body.data, { status: 'disabled', disabledReason: 'manual', filterTypes: [] })
  assert.equal('secret' in changed.body.data, false)
  const on = await school.patch(path, { status: 'active' })
  assert.partialDeepStrictEqual(on.body.data, { status: 'active', disabledReason: null, disabledAt: null, url })
  const rotated = await school.post(`${path}/secret/rotate`, { overlapSeconds: 60 })
  assert.match(rotated.body.data.secret, /^whsec_/)
  assert.notEqual(rotated.body.data.secret, secret)
  assert(Date.parse(rotated.body.meta.formerSecretUntil) > Date.now())
  assert.equal((await school.delete(path)).status, 204)
  assert.equal((await school.get(path)).status, 404)
  const { body } = await school.get(`/creds/audit?filter[subject]=${rest.id}&sort=createdAt`)
  assert.deepEqual(
    body.data.map((one: { action: string }) => one.action),
    ['created', 'changed', 'changed', 'secret_rotated', 'deleted'].map((what) => `webhook_endpoint.${what}`),
  )
  assert(!JSON.stringify(body).includes('whsec_'))
})

for (const [what, url] of [
  ['is no URL', 'hook'],
  ['is http on another host', 'http://hooks.example/a'],
  ['names a user', 'https://me:secret@hooks.example/a'],
  ['is an address of the private network', 'https://10.0.0.1/a'],
  ['is the address of cloud metadata', 'https://169.254.169.254/latest'],
  ['has a fragment', 'https://hooks.example/a#b'],
  ['is a port of another service', 'https://hooks.example:25/'],
] as const) {
  test(`[SEC-79] an address that ${what} is refused`, async () => {
    const { status, body } = await school.post('/creds/endpoints', { url })
    assert.equal(status, 400)
    assert.equal(body.errors[0].source.pointer, '/url')
  })
}

test('an address of this server is refused', async () => {
  const { status } = await school.post('/creds/endpoints', { url: `${chirograph.url}/creds/credentials/issuance` })
  assert.equal(status, 400)
})

test('a delivery can be followed, found and sent once more', async () => {
  const receiver = await aReceiver()
  const { id } = await add({ url: receiver.url, filterTypes: ['openid4vc.issuance.offered'] })
  const issuance = await openIssuance(school, templateId)
  await until(() => receiver.messages.length === 1)
  const path = `/creds/endpoints/${id}/deliveries`
  const deliveries = async (query = '') => (await school.get(`${path}${query}`)).body.data
  await until(async () => (await deliveries('?filter[status]=delivered')).length === 1)
  const [one] = await deliveries('?filter[type]=openid4vc.issuance.offered&filter[status]=delivered')
  assert.equal(one.attempts[0].statusCode, 204)
  assert.equal(one.nextAttemptAt, null)
  const { body: sent, ...shown } = (await school.get(`${path}/${one.id}`)).body.data
  assert.deepEqual(shown, one)
  assert.equal(sent, receiver.messages[0]?.body)
  assert.deepEqual(await deliveries(`?filter[eventId]=${one.eventId}`), [one])
  assert.deepEqual(await deliveries('?filter[status]=dead'), [])
  const again = await school.post(`${path}/${one.id}/redeliver`)
  assert.equal(again.status, 202)
  assert.equal(again.body.data.status, 'pending')
  await until(() => receiver.messages.length === 2)
  assert.equal(receiver.messages[1]?.headers['webhook-id'], one.eventId)
  assert.equal(JSON.parse(receiver.messages[0]?.body ?? '').data.subject.id, issuance.id)
  assert.equal((await school.post(`${path}/01890000-0000-7000-8000-000000000000/redeliver`)).status, 404)
  await receiver.close()
})

test('events are listed by type and subject, in pages that miss nothing', async () => {
  const opened: string[] = []
  for (let n = 0; n < 5; n += 1) opened.push((await openIssuance(school, templateId)).id)
  const { body } = await school.get(`/creds/events?filter[subject]=${opened[2]}`)
  assert.equal(body.data.length, 1)
  const [event] = body.data
  assert.partialDeepStrictEqual(event, {
    type: 'openid4vc.issuance.offered',
    subject: { kind: 'issuance', id: opened[2] },
  })
  const seen: string[] = []
  await until(async () => {
    const query = '?filter[type]=openid4vc.issuance.offered&sort=createdAt&page[size]=2'
    let next: string | undefined = `/creds/events${query}`
    seen.length = 0
    while (next !== undefined) {
      const page: { body: { data: { subject: { id: string } }[]; links: { next?: string } } } = await school.get(next)
      seen.push(...page.body.data.map(({ subject }) => subject.id))
      next = page.body.links.next
    }
    return opened.every((id) => seen.includes(id))
  })
  assert.equal(new Set(seen).size, seen.length)
  assert.deepEqual(
    seen.filter((id) => opened.includes(id)),
    opened,
  )
  const strangers = await (await chirograph.backend('globex')).get(`/creds/events?filter[subject]=${opened[2]}`)
  assert.deepEqual(strangers.body.data, [])
  const foreign = await (await chirograph.backend('globex')).get(`/creds/events?page[after]=${event.id}`)
  assert.equal(foreign.status, 400)
})

test('the audit trail says who did what, from where, and is searched by each of that', async () => {
  const { id } = await openIssuance(school, templateId)
  const { body } = await school.get(`/creds/audit?filter[subject]=${id}`)
  assert.equal(body.data.length, 1)
  const [line] = body.data
  assert.partialDeepStrictEqual(line, {
    actor: { kind: 'client', id: 'acme-backend', actingClientId: null },
    action: 'openid4vc.issuance.offered',
    subject: { kind: 'issuance', id },
    result: 'done',
    ip: '127.0.0.1',
  })
  assert.match(line.requestId, /^[0-9a-f-]{36}$/)
  const found = async (query: string) =>
    (await school.get(`/creds/audit?${query}&page[size]=100`)).body.data.some(
      (one: { id: string }) => one.id === line.id,
    )
  const later = new Date(Date.parse(line.createdAt) + 1).toISOString()
  for (const [query, wanted] of [
    ['filter[actor]=acme-backend', true],
    ['filter[actor]=somebody', false],
    ['filter[action]=openid4vc.issuance.offered', true],
    ['filter[action]=credential.revoked', false],
    ['filter[action]=credential.revoked,openid4vc.issuance.offered', true],
    ['filter[action]=credential.revoked,credential.suspended', false],
    [`filter[action]=user.created,openid4vc.issuance.offered&filter[createdAfter]=${later}`, false],
    [`filter[createdAfter]=${line.createdAt}`, true],
    [`filter[createdAfter]=${later}`, false],
    [`filter[createdBefore]=${later}`, true],
    [`filter[createdBefore]=${line.createdAt}`, false],
    [`filter[actor]=acme-backend&filter[subject]=${id}&sort=createdAt`, true],
  ] as const) {
    assert.equal(await found(query), wanted, query)
  }
  const unknown = await school.get('/creds/audit?filter[action]=credential.revoked,credential.eaten')
  assert.equal(unknown.status, 400)
  assert.partialDeepStrictEqual(unknown.body.errors, [
    { code: 'VALIDATION_ERROR', source: { parameter: 'filter[action]' } },
  ])
  const page = await school.get('/creds/audit?page[size]=1')
  const next = await school.get(page.body.links.next)
  assert.notEqual(next.body.data[0].id, page.body.data[0].id)
  const idle = await chirograph.idle('acme')
  assert.equal((await idle.get('/creds/audit')).status, 200)
  assert.equal((await idle.get('/creds/events')).status, 403)
})

test('lists name what they refer to as far as the caller may know it; what is gone stays an id', async () => {
  const username = `nomsa-${Date.now()}`
  const user = (await school.post('/onboarding/users', { username })).body.data
  const client = { name: 'School office', scopes: ['issuance:read'] }
  const made = await school.post('/onboarding/clients', client)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const recipient = { identifierType: 'username', value: username }
  const ask = {
    credentialTemplateId: templateId,
    attributes: { name: 'Nomsa' },
    recipient,
    grants: ['authorization_code'],
  }
  const issuance = (await school.post('/creds/credentials/issuance', ask)).body.data
  const first = async (api: Api, path: string) => (await api.get(path)).body.data[0]
  const audit = (api: Api, subject: string) => first(api, `/creds/audit?filter[subject]=${subject}&sort=createdAt`)

  assert.deepEqual((await audit(school, user.id)).subject, { kind: 'user', id: user.id, name: username })
  assert.equal((await audit(school, made.body.data.clientId)).subject.name, 'School office')
  const offered = await audit(school, issuance.id)
  assert.equal(offered.subject.name, 'Badge')
  assert.deepEqual(offered.names, { [templateId]: 'Badge', [issuance.credentials[0].id]: 'Badge' })
  const event = await first(school, `/creds/events?filter[subject]=${issuance.id}`)
  assert.deepEqual([event.subject.name, event.names], ['Badge', offered.names])
  const csv = await school.get(`/creds/audit?filter[subject]=${user.id}`, { accept: 'text/csv' })
  assert.match(String(csv.body), /subject\.name[\s\S]*nomsa-/)

  // Without users:read no username is told, and other organisations know no name.
  const idle = await chirograph.idle('acme')
  assert.deepEqual((await audit(idle, user.id)).subject, { kind: 'user', id: user.id })
  assert.equal((await audit(idle, issuance.id)).subject.name, 'Badge')
  assert.equal((await school.delete(`/onboarding/users/${username}`)).status, 204)
  assert.ok(!('name' in (await audit(school, user.id)).subject))
})
