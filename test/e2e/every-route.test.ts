// Made from the list of routes, so that a route that forgets its caller, its scope, its tenant or its strictness cannot
// come in unnoticed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { routes } from '../../src/contributions.ts'
import { faults } from '../../src/fault.ts'
import type { Route } from '../../src/http/routes/route.ts'
import { makeEverything, type Objects } from '../support/main-job.ts'
import { ask, isOfPlatform, isPersonal, knownIdFor, nameOf, pathOf, unknownId } from '../support/route-requests.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

let chirograph: Deployment
let objects: Objects
let school: Api
let strangers: Api
let idle: Api
let operator: Api
let thandi: Api
let pieter: Api
let strangerThandi: Api

before(async () => {
  chirograph = await deploy()
  objects = await makeEverything(chirograph)
  school = await chirograph.backend('acme')
  strangers = await chirograph.backend('globex')
  idle = await chirograph.idle('acme')
  operator = await chirograph.operator()
  thandi = await chirograph.wallet('acme', 'thandi')
  pieter = await chirograph.wallet('acme', 'pieter')
  strangerThandi = await chirograph.wallet('globex', 'thandi')
})
after(() => chirograph.stop())

for (const route of routes) {
  const name = nameOf(route)
  const takesBody = ['POST', 'PUT', 'PATCH'].includes(route.method)

  test(`${name}: without a token, 401 that says how to ask`, async () => {
    const reply = await ask(chirograph.nobody, route, pathOf(route, unknownId))
    refused(reply, 401, 'UNAUTHORIZED')
    assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer/)
  })

  test(`${name}: with a forged token, 401`, async () => {
    const forged = `${school.token?.slice(0, -8)}AAAAAAAA`
    const headers = { authorization: `Bearer ${forged}` }
    refused(await ask(chirograph.nobody, route, pathOf(route, unknownId), headers), 401, 'UNAUTHORIZED')
  })

  if (route.scope !== null && route.scope !== 'audit:read') {
    test(`${name}: without its scope, 403 that names the scope`, async () => {
      const reply = await ask(idle, route, pathOf(route, unknownId))
      refused(reply, 403, 'FORBIDDEN')
      assert.equal(reply.body.errors[0].meta.requiredScope, route.scope)
      assert.match(reply.headers.get('www-authenticate') ?? '', /insufficient_scope/)
    })
  }

  if (route.path.includes('{')) {
    test(`${name}: the object of another is as unknown as one that never was`, async () => {
      const others = isPersonal(route) ? [pieter, strangerThandi] : [strangers]
      const known = knownIdFor(objects, route)
      const isLookup = route.group === 'onboarding'
      for (const other of others) {
        // Both tenants have a user of that name, so a look-up must find the own one: the route's own test shows that.
        if (isLookup) continue
        const foreign = await ask(other, route, pathOf(route, known))
        const never = await ask(other, route, pathOf(route, unknownId))
        refused(foreign, 404, 'NOT_FOUND')
        assert.deepEqual(withoutIds(foreign), withoutIds(never))
      }
    })
  }

  test(`${name}: a query member that it does not know, 400 that names it`, async () => {
    const reply = await ask(ownerOf(route), route, `${pathOf(route, unknownId)}?surprise=1`)
    refused(reply, 400, 'VALIDATION_ERROR')
    // A search without its question is named too.
    const parameters = reply.body.errors.map((one: { source?: { parameter?: string } }) => one.source?.parameter)
    assert(parameters.includes('surprise'))
  })

  test(`${name}: an answer in another type is not to be had`, async () => {
    refused(await ask(ownerOf(route), route, pathOf(route, unknownId), { accept: 'image/gif' }), 406, 'NOT_ACCEPTABLE')
  })

  if (takesBody && route.body !== undefined) {
    test(`${name}: bodies that are no JSON, of another type, too large or with a surprise are refused`, async () => {
      const owner = ownerOf(route)
      const path = pathOf(route, unknownId)
      refused(
        await owner.send(route.method, path, '{"a":', { 'content-type': 'application/json' }),
        400,
        'MALFORMED_JSON',
      )
      refused(
        await owner.send(route.method, path, '{}', { 'content-type': 'text/plain' }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      )
      const large = JSON.stringify({ a: 'x'.repeat((route.bodyBytesMax ?? 1_048_576) + 1) })
      refused(
        await owner.send(route.method, path, large, { 'content-type': 'application/json' }),
        413,
        'PAYLOAD_TOO_LARGE',
      )
      const surprised = await owner.send(route.method, path, '{"surprise":1}', { 'content-type': 'application/json' })
      refused(surprised, 400, 'VALIDATION_ERROR')
      assert(
        surprised.body.errors.some((one: { source?: { pointer?: string } }) => one.source?.pointer === '/surprise'),
      )
    })
  }
}

test('a method that a path does not have is a 405 that lists those it has', async () => {
  const reply = await school.send('PATCH', '/creds/credentials/issuance')
  refused(reply, 405, 'METHOD_NOT_ALLOWED')
  assert.match(reply.headers.get('allow') ?? '', /POST/)
})

test('every refusal of a route is a row of the table of faults', () => {
  for (const route of routes) for (const code of route.faults) assert(code in faults, `${nameOf(route)}: ${code}`)
})

/** The caller that has the scope: a user for the wallet, the operator for the platform, else the backend. */
function ownerOf(route: Route): Api {
  if (isOfPlatform(route)) return operator
  return isPersonal(route) ? thandi : school
}

function refused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, JSON.stringify(reply.body))
  assert.equal('data' in reply.body, false)
  for (const error of reply.body.errors) {
    assert.equal(error.status, String(status))
    assert.equal(error.code, code)
    assert.match(error.id, /^[0-9a-f-]{36}/)
    assert(error.title.length > 0 && error.detail.length > 0)
  }
}

function withoutIds({ status, body }: Reply): unknown {
  return { status, errors: body.errors.map(({ id: _, ...error }: { id: string }) => error) }
}
