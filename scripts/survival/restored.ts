import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { isJsonObject, parseJson } from '../../src/crypto/json.ts'
import { statusOfEntry } from '../../src/protocols/status-list/packed-list.ts'
import { parseStatusListToken } from '../../src/protocols/status-list/status-list-token.ts'
import { hasCitus } from '../../test/support/citus.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { anOrganisation, type Held, type Offer, type Organisation, organisationsFile } from './organisation.ts'
import type { Outcome } from './outcome.ts'
import { aCluster, onePostgres, type Site } from './site.ts'

const SLUGS = ['north', 'east', 'south', 'west']
/** Two more, so that they hardly ever all lie on one of two nodes. */
const CLUSTER_SLUGS = [...SLUGS, 'inner', 'outer']
const SERVERS = 3
/**
 * Of each organisation: credentials before the backup and after it, offers that are open then, and credentials after
 * the recovery.
 */
const EACH = 24
const OPEN = 6
const NEXT = 100

/**
 * What happened before the restore. `spent`: offers that were redeemed after the state was taken; `open`: such that
 * were not. `events`: before it.
 */
type Past = {
  readonly held: readonly Held[]
  readonly revoked: readonly Held[]
  readonly suspended: readonly Held[]
  readonly spent: readonly Offer[]
  readonly open: readonly Offer[]
  readonly events: readonly string[]
}

/** On one PostgreSQL: a base backup is restored. */
export const restored = async () => restoredAt(await onePostgres(), SLUGS)

/** On a distributed deployment: all nodes are restored to a point that was taken while all issued. */
export async function restoredCluster(): Promise<Outcome> {
  if (!hasCitus()) return { figures: { leftOut: 'Citus is not installed for PostgreSQL on this machine' }, faults: [] }
  return restoredAt(await aCluster(), CLUSTER_SLUGS)
}

/**
 * Several organisations on several servers. A state is taken while all issue; afterwards credentials are revoked and
 * suspended, offers are redeemed and credentials issued. Then the state is restored: every server refuses it, `recover`
 * runs, and the servers serve again.
 */
async function restoredAt(site: Site, slugs: readonly string[]): Promise<Outcome> {
  const outside = mkdtempSync(join(tmpdir(), 'chirograph-restored-'))
  const settings = { RECOVERY_MARK: join(outside, 'mark.json'), REVOCATION_JOURNAL: join(outside, 'journal') }
  const logFile = join(outside, 'servers.log')
  const manner = { count: SERVERS, logFile, file: organisationsFile(slugs), settings }
  const fleet = await startFleet(site.url, manner).catch(async (error: unknown) => {
    await site.stop()
    throw error
  })
  try {
    const organisations = await Promise.all(slugs.map((slug) => anOrganisation(fleet.url, slug)))
    const { since, pasts } = await live(organisations, site.takeState)
    await fleet.halt()
    const again = await site.restore()
    const { faults: refusals, figures } = await recoverAll(fleet, again.url, since, slugs.length)
    await fleet.startOn(again.url)
    const found = await Promise.all(organisations.map((one, at) => check(one, pasts[at] ?? nothing)))
    const total = (key: keyof (typeof found)[number]['figures']) =>
      found.reduce((sum, { figures }) => sum + figures[key], 0)
    return {
      figures: {
        servers: SERVERS,
        organisations: slugs.length,
        credentialsBefore: total('before'),
        credentialsAfter: total('after'),
        revocationsHeld: total('held'),
        offersRefused: total('refused'),
        eventsKept: total('kept'),
        ...again.figures,
        ...figures,
      },
      faults: [...refusals, ...found.flatMap(({ faults }) => faults)],
    }
  } finally {
    await fleet.stop()
    await site.stop()
    rmSync(outside, { recursive: true, force: true })
  }
}

const nothing: Past = { held: [], revoked: [], suspended: [], spent: [], open: [], events: [] }

async function live(organisations: readonly Organisation[], takeState: Site['takeState']) {
  const early = await Promise.all(organisations.map((one) => issue(one, EACH)))
  const offers = await Promise.all(organisations.map((one) => times(2 * OPEN, one.offer)))
  const events = await Promise.all(organisations.map((one) => one.events()))
  let isTaken = false
  const taking = takeState().finally(() => {
    isTaken = true
  })
  // All issue while the state is taken: it has some of these, or none.
  const meanwhile = await Promise.all(
    organisations.map(async (one) => {
      const held: Held[] = []
      do held.push(...(await issue(one, 1)))
      while (!isTaken)
      return held
    }),
  )
  const since = await taking
  const pasts = await Promise.all(
    organisations.map(async (one, at): Promise<Past> => {
      const known = [...(early[at] ?? []), ...(meanwhile[at] ?? [])]
      const lost = await issue(one, EACH)
      const all = [...known, ...lost]
      const revoked = all.filter((_, index) => index % 2 === 0)
      const suspended = all.filter((_, index) => index % 4 === 1)
      await change(one, 'revoke', revoked)
      await change(one, 'suspend', suspended)
      const spent = (offers[at] ?? []).slice(0, OPEN)
      const late: Held[] = []
      for (const offer of spent) late.push(await one.receive(offer))
      return {
        held: [...all, ...late],
        revoked,
        suspended,
        spent,
        open: (offers[at] ?? []).slice(OPEN),
        events: events[at] ?? [],
      }
    }),
  )
  return { since, pasts }
}

/** Starts each server on the restored state, which must be refused, and recovers it. */
async function recoverAll(fleet: Fleet, databaseUrl: string, since: Date, organisations: number): Promise<Outcome> {
  const faults: string[] = []
  for (let server = 0; server < SERVERS; server += 1) {
    const { status, err } = await fleet.command(['serve'], databaseUrl)
    if (status !== 1 || !err.includes('recover --since')) faults.push(`server ${server} started on the older state`)
  }
  const began = performance.now()
  // Waiting for the end of short-lived proofs would take ten minutes, and nothing here uses one twice.
  const { status, out, err } = await fleet.command(
    ['recover', '--since', since.toISOString(), '--no-wait'],
    databaseUrl,
  )
  const seconds = Math.round((performance.now() - began) / 100) / 10
  const report = status === 0 ? parseJson(out) : null
  if (!isJsonObject(report)) return { figures: {}, faults: [...faults, `recover failed: ${err}`] }
  if (report.tenants !== organisations || (report.problems as unknown[]).length > 0)
    faults.push(`recover reports ${out}`)
  const verified = await fleet.command(['verify'], databaseUrl)
  if (verified.status !== 0) faults.push(`verify found ${verified.out}${verified.err}`)
  return { figures: { recoverSeconds: seconds, journalLines: Number(report.journalLines) }, faults }
}

async function check(one: Organisation, { held, revoked, suspended, spent, open, events }: Past) {
  const [isRevoked, isSuspended] = [await statuses(revoked, 1), await statuses(suspended, 2)]
  const opened = (await Promise.all([...spent, ...open].map((offer) => opens(one, offer)))).filter(Boolean).length
  const next = await issue(one, NEXT)
  const places = [...held, ...next].map(({ list, index }) => `${list} ${index}`)
  const shared = places.length - new Set(places).size
  const reused = next.filter(({ list }) => held.some((old) => old.list === list)).length
  const audit = await one.caller.call('GET', '/creds/audit?filter[action]=deployment.restored')
  const told = Array.isArray(audit.data) ? audit.data.length : 0
  const later = await one.events()
  const isInOrder = events.every((id, at) => id === later[at]) && new Set(later).size === later.length
  const missing = revoked.length + suspended.length - isRevoked - isSuspended
  return {
    figures: {
      before: held.length,
      after: next.length,
      held: isRevoked + isSuspended,
      refused: spent.length + open.length - opened,
      kept: events.length,
    },
    faults: [
      ...(missing > 0 ? [`${one.slug}: ${missing} revocations or suspensions do not hold`] : []),
      ...(opened > 0 ? [`${one.slug}: ${opened} offers opened again`] : []),
      ...(shared > 0 ? [`${one.slug}: ${shared} credentials share an entry`] : []),
      ...(reused > 0 ? [`${one.slug}: ${reused} new credentials are in a list from before`] : []),
      ...(isInOrder ? [] : [`${one.slug}: the events do not continue in order`]),
      ...(told === 1 ? [] : [`${one.slug}: deployment.restored was recorded ${told} times`]),
    ],
  }
}

/** @returns how many of the credentials have this status in their lists, as a verifier reads them */
async function statuses(credentials: readonly Held[], status: number): Promise<number> {
  let count = 0
  for (const [list, some] of Map.groupBy(credentials, (one) => one.list)) {
    const answer = await fetch(list, { headers: { accept: 'application/statuslist+jwt' } })
    if (!answer.ok) continue
    const { payload } = parseStatusListToken(await answer.text())
    const { bits, lst } = payload.status_list as { bits: 1 | 2; lst: string }
    const packed = inflateSync(Buffer.from(lst, 'base64url'))
    count += some.filter(({ index }) => statusOfEntry({ bits, packed }, index) === status).length
  }
  return count
}

function opens(one: Organisation, offer: Offer): Promise<boolean> {
  return one.receive(offer).then(
    () => true,
    () => false,
  )
}

async function change(one: Organisation, how: 'revoke' | 'suspend', held: readonly Held[]): Promise<void> {
  await one.caller.call('POST', `/creds/credentials/${how}`, { json: { ids: held.map((each) => each.credentialId) } })
}

async function issue(one: Organisation, count: number): Promise<Held[]> {
  return times(count, async () => one.receive(await one.offer()))
}

/** Runs work some times, one after another. */
async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const done: T[] = []
  while (done.length < count) done.push(await work())
  return done
}
