// What hostile visitors, pages and organisations cost others, and how long visits are stored. Two processes on one
// database.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import type { Fault } from '../../fault.ts'
import { limits } from '../../memory/limits.ts'
import { networkOf } from '../../memory/network.ts'
import type { Platform } from '../../platform.ts'
import { sql } from '../../store/store.ts'
import { verificationSchedules } from '../requests/jobs.ts'
import { findPresentationRequest } from '../requests/request-store.ts'
import { callerOf, startVerifier, type Verifier } from '../test-support/verifier.ts'
import { beginVisit } from './begin-visit.ts'
import { getPublicPage } from './find-page.ts'
import { verificationPageSchedules } from './jobs.ts'
import { createVerificationPage } from './manage-pages.ts'
import { checkVisitor, readVisitState } from './visit-state.ts'
import { findVisit } from './visit-store.ts'

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(() => verifier.close())

type Owner = { readonly caller: Caller; readonly template: string }

async function anOwner(): Promise<Owner> {
  const backend = await verifier.aTenant()
  const credentials = [{ type: 'v', attributes: { a: {} } }]
  const made = await backend.ask('POST', '/templates/presentations', { name: 'T', description: '', credentials })
  return { caller: callerOf(backend), template: made.body.data.id }
}

/** @returns the id of a new page */
async function aPage({ caller, template }: Owner, more: object = {}): Promise<string> {
  const body = {
    name: 'Door',
    presentationTemplateId: template,
    requestsPerMinute: 600,
    requestsPerAddress: 60,
    ...more,
  }
  return (await createVerificationPage(verifier.platform, caller, body)).id
}

let turn = 0
/** Begins a visit at the next process. */
async function begin(page: string, ip: string, at?: Platform) {
  turn += 1
  const platform = at ?? (turn % 2 === 0 ? verifier.platform : verifier.twin)
  const found = await getPublicPage(platform, page, ip)
  return { found, ...(await beginVisit(platform, found, { ip, requestId: 'r' })) }
}

/** @returns whether each visitor could begin */
async function admitted(visits: readonly (readonly [page: string, ip: string, at?: Platform])[]): Promise<boolean[]> {
  const done: boolean[] = []
  for (const visit of visits) {
    const refusal = await begin(...visit).then(
      () => null,
      (error: Fault) => error.code,
    )
    assert.ok(refusal === null || refusal === 'request.rate_limited', String(refusal))
    done.push(refusal === null)
  }
  return done
}

test('the addresses of one IPv6 /64 count together, also an IPv4 address in both its forms; their neighbours are not concerned', async () => {
  const page = await aPage(await anOwner(), { requestsPerAddress: 2 })
  const visits = await admitted([
    ...(['2001:db8:1:1::a', '2001:db8:1:1:ffff::b', '2001:db8:1:1:1:2:3:4', '2001:db8:1:2::a'] as const).map(
      (ip) => [page, ip] as const,
    ),
    ...(['203.0.113.1', '::ffff:203.0.113.1', '203.0.113.1', '203.0.113.2'] as const).map((ip) => [page, ip] as const),
  ])
  assert.deepEqual(visits, [true, true, false, true, true, true, false, true])
})

test('seven /64 of one /48 begin no more than half of what a page allows, and others begin still', async () => {
  const page = await aPage(await anOwner(), { requestsPerMinute: 20, requestsPerAddress: 4 })
  const crowd = [1, 2, 3, 4, 5, 6, 7].flatMap((n) =>
    Array.from({ length: 4 }, (_, at) => [page, `2001:db8:7:${n}00::${at + 1}`] as const),
  )
  assert.equal((await admitted(crowd)).filter(Boolean).length, 10)
  assert.deepEqual(await admitted([[page, '2001:db8:8:1::1']]), [true])
})

test('networks that begin repeatedly leave a quarter of a page to those that begin for the first time', async () => {
  const page = await aPage(await anOwner(), { requestsPerMinute: 8, requestsPerAddress: 4 })
  const at = verifier.platform
  const crowd = [1, 2, 3].flatMap((n) => Array.from({ length: 4 }, () => [page, `192.0.${n}.1`, at] as const))
  assert.equal((await admitted(crowd)).filter(Boolean).length, 7)
  assert.deepEqual(await admitted([[page, '198.18.9.1', at]]), [true])
})

test('a page whose visitors are too many costs the other pages of its organisation nothing', async () => {
  const owner = await anOwner()
  const [crowded, calm] = [await aPage(owner, { requestsPerMinute: 3 }), await aPage(owner)]
  const crowd = await admitted([1, 2, 3, 4, 5].map((n) => [crowded, `198.51.100.${n}`] as const))
  assert.deepEqual(crowd, [true, true, true, false, false])
  assert.deepEqual(await admitted([[calm, '198.51.100.1']]), [true])
})

test('an organisation with too many visitors, and a visitor of too many pages, cost others nothing', async () => {
  const [loud, quiet] = [await anOwner(), await anOwner()]
  const [theirs, ours] = [await aPage(loud), await aPage(quiet)]
  const { platform } = verifier
  const now = platform.clock.now()
  const fill = (name: 'verification.visits_of_tenant' | 'verification.visits_of_network', key: string) => {
    for (let count = 0; count < limits[name].countMax; count += 1) platform.rateLimiter.count(name, key, now)
  }
  fill('verification.visits_of_tenant', loud.caller.tenantId)
  fill('verification.visits_of_network', networkOf('192.0.2.66') ?? '')
  const visits = await admitted([
    [theirs, '192.0.2.1', platform],
    [ours, '192.0.2.1', platform],
    [ours, '192.0.2.66', platform],
    [ours, '192.0.2.67', platform],
  ])
  assert.deepEqual(visits, [false, true, false, true])
})

test('visitors who begin at once at both processes are counted together', async () => {
  const page = await aPage(await anOwner(), { requestsPerAddress: 5 })
  const crowd = await Promise.all(
    [verifier.platform, verifier.twin].flatMap((at) =>
      Array.from({ length: 6 }, () => admitted([[page, '192.0.2.9', at]])),
    ),
  )
  assert.equal(crowd.flat().filter(Boolean).length, 5)
})

const setStatus = sql('test.set_status', 'update presentation_request set status = $3 where tenant_id = $1 and id = $2')

async function sweep(): Promise<void> {
  for (const { run } of [...verificationSchedules, ...verificationPageSchedules])
    await run(verifier.platform, new AbortController().signal)
}

test('a visit ends by itself; a day later it is deleted, and its request too unless a wallet answered it', async () => {
  const { platform, store } = verifier
  const owner = await anOwner()
  const { tenantId } = owner.caller
  const page = await aPage(owner, { expiresInSeconds: 60 })
  const [left, answered] = [await begin(page, '192.0.2.1', platform), await begin(page, '192.0.2.1', platform)]
  await store.inTenant(tenantId, (tx) => tx.rows(setStatus, [tenantId, answered.request.id, 'rejected']))
  const rows = () =>
    store.inTenant(tenantId, async (tx) => {
      const now = platform.clock.now()
      const found = async (id: string) => [
        (await findVisit(tx, id)) !== null,
        (await findPresentationRequest(tx, id, now)) !== null,
      ]
      return [await found(left.request.id), await found(answered.request.id)]
    })
  verifier.wait(61)
  assert.equal((await readVisitState(platform, left.found, left.request.id)).status, 'expired')
  await sweep()
  assert.deepEqual(await rows(), [
    [true, true],
    [true, true],
  ])
  verifier.wait(86_400)
  const late = await begin(page, '192.0.2.1', platform)
  await sweep()
  assert.deepEqual(await rows(), [
    [false, false],
    [false, true],
  ])
  await assert.rejects(
    checkVisitor(platform, left.found, { requestId: left.request.id, secret: left.secret, ip: '192.0.2.1' }),
    { code: 'resource.unknown' },
  )
  const { secret, request } = late
  assert.equal(await checkVisitor(platform, late.found, { requestId: request.id, secret, ip: '192.0.2.1' }), request.id)
})
