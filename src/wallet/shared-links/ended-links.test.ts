import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller, UserId } from '../../caller.ts'
import { forgetTenants } from '../../directory/tenants/find-tenant.ts'
import { singleOperation } from '../../http/routes/operation.ts'
import { sql } from '../../store/store.ts'
import { historySchedules } from '../history/jobs.ts'
import { fault } from '../test-support/fault.ts'
import { aMember } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { createSharedLink } from './create-link.ts'
import { expireDueLinks } from './jobs.ts'
import { openSharedLink } from './open-link.ts'
import { getSharedLink, listSharedLinks } from './own-links.ts'
import { getShareableClaims } from './shareable-claims.ts'

const DAY_SECONDS = 86_400
const opening = { ip: '127.0.0.1', isView: true, language: undefined }
const setSettings = sql('test.shared_links.settings', 'update tenant set settings = $2 where id = $1')
let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

async function linkOf(
  person: Caller & { userId: UserId },
  credentialId: string,
  operation = singleOperation(bench.platform),
) {
  const body = { credentialId, claims: [['member', 'number']], recipient: 'A shop', purpose: 'A discount' }
  const { id, address } = await createSharedLink(
    bench.platform,
    person,
    { ...body, expiresInSeconds: DAY_SECONDS },
    operation,
  )
  return { id, secret: address.split('/').at(-1) ?? '' }
}

test('a link whose time is over opens no more, loses its presentation, and is deleted with the history', async () => {
  const { platform } = bench
  const { thandi, credentialId } = await aMember(bench)
  const { id, secret } = await linkOf(thandi, credentialId)
  await openSharedLink(platform, secret, opening)
  bench.later(DAY_SECONDS + 1)
  assert.equal((await fault(openSharedLink(platform, secret, opening))).code, 'resource.unknown')
  assert.equal((await getSharedLink(platform, thandi, id)).status, 'expired')
  const signal = new AbortController().signal
  await expireDueLinks(platform, signal)
  const [row] = await bench.rows(thandi.tenantId, 'wallet_shared_link')
  assert.partialDeepStrictEqual(row, { secret_hash: null, sealed_presentation: null, views: 1 })
  assert.equal((await getSharedLink(platform, thandi, id)).status, 'expired')
  bench.later(platform.config.historyRetentionDays * DAY_SECONDS + 1)
  for (const { run } of historySchedules) await run(platform, signal)
  assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_shared_link'), [])
  bench.later(-(platform.config.historyRetentionDays + 1) * DAY_SECONDS - 2)
})

test('hours with views are told for the first hundred, and later views are counted', async () => {
  const { platform } = bench
  const { thandi, credentialId } = await aMember(bench)
  const body = { credentialId, claims: [], recipient: 'A shop', purpose: 'A discount' }
  const { id, address } = await createSharedLink(platform, thandi, body, singleOperation(platform))
  const secret = address.split('/').at(-1) ?? ''
  for (let hour = 0; hour < 102; hour += 1) {
    await openSharedLink(platform, secret, opening)
    if (hour === 3) await openSharedLink(platform, secret, opening)
    bench.later(3600)
  }
  const { views, viewsByHour } = await getSharedLink(platform, thandi, id)
  assert.equal(views, 103)
  assert.equal(viewsByHour.length, 100)
  assert.deepEqual(
    viewsByHour.slice(0, 5).map((one) => one.views),
    [1, 1, 1, 2, 1],
  )
  bench.later(-102 * 3600)
})

test('a request that is repeated, since its answer was lost, replaces the link that nobody was told', async () => {
  const { platform } = bench
  const { thandi, credentialId } = await aMember(bench)
  const id = singleOperation(platform).newId()
  const lost = await linkOf(thandi, credentialId, { newId: () => id, isRepeated: false })
  const told = await linkOf(thandi, credentialId, { newId: () => id, isRepeated: true })
  assert.equal(told.id, id)
  assert.equal((await fault(openSharedLink(platform, lost.secret, opening))).code, 'resource.unknown')
  await openSharedLink(platform, told.secret, opening)
  const list = {
    size: 25,
    after: null,
    before: null,
    sort: { field: 'createdAt', descending: true },
    readDescending: true,
  } as const
  assert.equal((await listSharedLinks(platform, thandi, null, list)).length, 1)
})

test('where an organisation has links off, or wants to know who gets what, none is made, and those made before work', async () => {
  const { platform } = bench
  const { thandi, credentialId } = await aMember(bench)
  const before = await linkOf(thandi, credentialId)
  const forbidding = [
    { sharedLinks: 'off' },
    { verifierPolicy: 'trusted' },
    { sharingConfirmation: 'sign-in' },
    { haip: true },
  ]
  for (const settings of forbidding) {
    const values = [thandi.tenantId, JSON.stringify(settings)]
    await platform.store.across('test set-up', (tx) => tx.rows(setSettings, values))
    forgetTenants(platform)
    assert.equal((await fault(linkOf(thandi, credentialId))).code, 'shared_link.off', JSON.stringify(settings))
    assert.equal((await fault(getShareableClaims(platform, thandi, credentialId))).code, 'shared_link.off')
    await openSharedLink(platform, before.secret, opening)
  }
})

test('an address that tries many links that do not exist is refused for a while, and nobody else is', async () => {
  const { platform } = bench
  const { thandi, credentialId } = await aMember(bench)
  const { secret } = await linkOf(thandi, credentialId)
  const guess = (ip: string) => fault(openSharedLink(platform, 'A'.repeat(86), { ...opening, ip }))
  const codes: string[] = []
  for (let tries = 0; tries < 61; tries += 1) codes.push((await guess('203.0.113.9')).code)
  assert.deepEqual([...new Set(codes.slice(0, 60))], ['resource.unknown'])
  assert.equal(codes[60], 'request.rate_limited')
  await openSharedLink(platform, secret, { ...opening, ip: '198.51.100.7' })
})
