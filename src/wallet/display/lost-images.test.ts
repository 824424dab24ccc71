// Images whose job is lost are fetched all the same; what cannot be fetched is asked for as often as ever.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import { sql } from '../../store/store.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { type ForeignIssuer, foreignIssuer } from '../test-support/foreign-issuer.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { fetchImagesJob } from './fetch-images.ts'
import { resumeImages } from './jobs.ts'

const keptStatement = sql(
  'test.lost_images.kept',
  `select array(select kind from wallet_credential_image i where i.tenant_id = $1) as kinds, images_due_at is not null as "isAwaited"
   from wallet_credential_display where tenant_id = $1`,
)

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

/** A credential whose issuer names a logo. */
async function withLogo(issuer: ForeignIssuer, logo: string): Promise<Caller> {
  issuer.lie({
    reply: {
      issuer: (reply) => ({
        ...reply,
        body: { ...Object(reply.body), display: [{ name: 'Club', logo: { uri: logo } }] },
      }),
    },
  })
  const person = await bench.person()
  await acceptOffer(bench.platform, person, { credentialOffer: issuer.offerUri })
  return person
}

async function kept({ tenantId }: Caller) {
  const [row] = await bench.platform.store.single(tenantId, (tx) => tx.rows(keptStatement, [tenantId]))
  return row
}

const imageJobs = async ({ tenantId }: Caller) =>
  (await bench.rows(tenantId, 'job')).filter(({ name }) => name === fetchImagesJob.name)

async function run(person: Caller, attempt = 1): Promise<void> {
  const about = { id: 'j', tenantId: person.tenantId, attempt }
  for (const { payload } of await imageJobs(person))
    await fetchImagesJob.run(bench.platform, payload as { credentialId: string }, new AbortController().signal, about)
  await bench.loseJobs(person.tenantId)
}

let shift = 0
afterEach(() => {
  bench.later(-shift)
  shift = 0
})

async function sweepLater(seconds: number): Promise<void> {
  shift += seconds
  bench.later(seconds)
  await resumeImages(bench.platform, new AbortController().signal)
}

test('an image whose job is lost is fetched a minute later, once', async (t) => {
  const issuer = await foreignIssuer()
  t.after(() => issuer.close())
  const logo = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"/>')}`
  const person = await withLogo(issuer, logo)
  await bench.loseJobs(person.tenantId)
  await sweepLater(59)
  assert.deepEqual(await imageJobs(person), [], 'its job might still run')
  await sweepLater(2)
  await run(person)
  assert.deepEqual(await kept(person), { kinds: ['logo'], isAwaited: false })
  await sweepLater(4000)
  assert.deepEqual(await imageJobs(person), [])
})

test('a job of images that waits gets no second one, and the last attempt ends the search', async (t) => {
  const issuer = await foreignIssuer()
  t.after(() => issuer.close())
  const person = await withLogo(issuer, 'http://127.0.0.1:1/logo.png')
  await sweepLater(61)
  assert.equal((await imageJobs(person)).length, 1)
  await assert.rejects(run(person, 3))
  assert.deepEqual(await kept(person), { kinds: [], isAwaited: true })
  await assert.rejects(run(person, 4))
  assert.deepEqual(await kept(person), { kinds: [], isAwaited: false })
})
