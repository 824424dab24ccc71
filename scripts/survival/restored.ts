import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { isJsonObject, parseJson } from '../../src/crypto/json.ts'
import { statusOfEntry } from '../../src/protocols/status-list/packed-list.ts'
import { parseStatusListToken } from '../../src/protocols/status-list/status-list-token.ts'
import { startPostgres, takeBaseBackup } from '../../test/support/postgres.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { anOrganisation, type Held, type Offer, type Organisation, organisationsFile } from './organisation.ts'
import type { Outcome } from './outcome.ts'

const SLUGS = ['north', 'east', 'south', 'west']
const SERVERS = 3
/** Of each organisation: credentials before the backup and after it, offers that are open then, and credentials after the recovery. */
const EACH = 24
const OPEN = 6
const NEXT = 100

/** What happened before the restore. `spent`: offers that were redeemed after the backup; `open`: such that were not. */
type Past = {
  readonly held: readonly Held[]
  readonly revoked: readonly Held[]
  readonly suspended: readonly Held[]
  readonly spent: readonly Offer[]
  readonly open: readonly Offer[]
}

/**
 * Several organisations on several servers. A base backup is taken while all issue; afterwards credentials are revoked and suspended, offers
 * are redeemed and credentials issued. Then the backup is restored: every server refuses it, `recover` runs, and the servers serve again.
 */
export async function restored(): Promise<Outcome> {
  const outside = mkdtempSync(join(tmpdir(), 'chirograph-restored-'))
  const first = await startPostgres({ durable: true })
  const settings = { RECOVERY_MARK: join(outside, 'mark.json'), REVOCATION_JOURNAL: join(outside, 'journal') }
  const logFile = join(outside, 'servers.log')
  const fleet = await startFleet(first.url, { count: SERVERS, logFile, file: organisationsFile(SLUGS), settings })
  let second: Awaited<ReturnType<typeof startPostgres>> | null = null
  try {
    const organisations = await Promise.all(SLUGS.map((slug) => anOrganisation(fleet.url, slug)))
    const { since, backup, pasts } = await live(organisations, first.url)
    await fleet.halt()
    second = await startPostgres({ durable: true, restoredFrom: backup })
    const { faults: refusals, figures } = await recoverAll(fleet, second.url, since)
    await fleet.startOn(second.url)
    const found = await Promise.all(organisations.map((one, at) => check(one, pasts[at] ?? nothing)))
    const total = (key: keyof (typeof found)[number]['figures']) =>
      found.reduce((sum, { figures }) => sum + figures[key], 0)
    return {
      figures: {
        ...{ servers: SERVERS, organisations: SLUGS.length, credentialsBefore: total('before') },
        ...{ credentialsAfter: total('after'), revocationsHeld: total('held'), offersRefused: total('refused') },
        ...figures,
      },
      faults: [...refusals, ...found.flatMap(({ faults }) => faults)],
    }
  } finally {
    await fleet.stop()
    await first.stop()
    await second?.stop()
    rmSync(outside, { recursive: true, force: true })
  }
}

const nothing: Past = { held: [], revoked: [], suspended: [], spent: [], open: [] }

async function live(organisations: readonly Organisation[], databaseUrl: string) {
  const early = await Promise.all(organisations.map((one) => issue(one, EACH)))
  const offers = await Promise.all(organisations.map((one) => times(2 * OPEN, one.offer)))
  const since = new Date()
  let isTaken = false
  const taking = takeBaseBackup(databaseUrl).finally(() => {
    isTaken = true
  })
  // All issue while the backup is taken: it has some of these, or none.
  const meanwhile = await Promise.all(
    organisations.map(async (one) => {
      const held: Held[] = []
      do held.push(...(await issue(one, 1)))
      while (!isTaken)
      return held
    }),
  )
  const backup = await taking
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
      return { held: [...all, ...late], revoked, suspended, spent, open: (offers[at] ?? []).slice(OPEN) }
    }),
  )
  return { since, backup, pasts }
}

/** Starts each server on the restored state, which must be refused, and recovers it. */
async function recoverAll(fleet: Fleet, databaseUrl: string, since: Date): Promise<Outcome> {
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
  if (report.tenants !== SLUGS.length || (report.problems as unknown[]).length > 0)
    faults.push(`recover reports ${out}`)
  const verified = await fleet.command(['verify'], databaseUrl)
  if (verified.status !== 0) faults.push(`verify found ${verified.out}${verified.err}`)
  return { figures: { recoverSeconds: seconds, journalLines: Number(report.journalLines) }, faults }
}

async function check(one: Organisation, { held, revoked, suspended, spent, open }: Past) {
  const [isRevoked, isSuspended] = [await statuses(revoked, 1), await statuses(suspended, 2)]
  const opened = (await Promise.all([...spent, ...open].map((offer) => opens(one, offer)))).filter(Boolean).length
  const next = await issue(one, NEXT)
  const places = [...held, ...next].map(({ list, index }) => `${list} ${index}`)
  const shared = places.length - new Set(places).size
  const reused = next.filter(({ list }) => held.some((old) => old.list === list)).length
  const audit = await one.caller.call('GET', '/creds/audit?filter[action]=deployment.restored')
  const told = Array.isArray(audit.data) ? audit.data.length : 0
  const missing = revoked.length + suspended.length - isRevoked - isSuspended
  return {
    figures: {
      ...{ before: held.length, after: next.length, held: isRevoked + isSuspended },
      refused: spent.length + open.length - opened,
    },
    faults: [
      ...(missing > 0 ? [`${one.slug}: ${missing} revocations or suspensions do not hold`] : []),
      ...(opened > 0 ? [`${one.slug}: ${opened} offers opened again`] : []),
      ...(shared > 0 ? [`${one.slug}: ${shared} credentials share an entry`] : []),
      ...(reused > 0 ? [`${one.slug}: ${reused} new credentials are in a list from before`] : []),
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
