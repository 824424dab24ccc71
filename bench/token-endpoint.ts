// How much does an access token cost at the token endpoint, beside the cryptography that it needs? For a client with a
// secret that the process has verified before, and for one that signs assertions. Then the same for routes of a plain
// server, without which none of this is had: an empty one, one that reads from the database, one that writes.
// Run: node bench/token-endpoint.ts [--seconds 5]. On a PostgreSQL server of its own.
import { fork } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from '../demo/server-process.ts'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { measure, openClient } from './measure.ts'

/** The token endpoint costs at most so many times its cryptography. */
const TIMES_MAX = 3
const WARM_UP_SECONDS = 10
const PAUSE_MS = 40
const PIECES = 4

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } })
const seconds = Number(values.seconds)
if (!(seconds > 0)) throw new Error('--seconds must be a number above 0')

const secret = 'a-secret-for-the-bench-only-0123456789abcdef'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = publicKey.export({ format: 'jwk' })
const scopes = ['users:read']
const clients = [
  { clientId: 'secret', clientSecret: secret, scopes },
  { clientId: 'signing', jwks: { keys: [jwk] }, scopes },
]

const es256 = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
const token = Buffer.alloc(420, 7)
const signature = sign('sha256', token, es256)
const signToken = () => {
  sign('sha256', token, es256)
  for (let n = 0; n < 4; n += 1) createHash('sha256').update(token).digest()
}
const verifyAssertion = () => {
  verify('sha256', token, { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' }, signature)
}

const postgres = await startPostgres({ durable: true })
const folder = mkdtempSync(join(tmpdir(), 'chirograph-bench-'))
const file = join(folder, 'bootstrap.json')
writeFileSync(file, JSON.stringify({ tenants: [{ slug: 'acme', name: 'Acme College', clients }] }))
const server = await startServer({ DATABASE_URL: postgres.url, DATA_DIR: folder, BOOTSTRAP_FILE: file })
const client = openClient([server.url], 16)
try {
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${seconds} s a line`)
  await question('secret', () => ({ client_id: 'secret', client_secret: secret }), signToken)
  await question('private_key_jwt', assertion, () => {
    verifyAssertion()
    signToken()
  })
  await plainFloors()
} finally {
  await client.close()
  await server.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function question(what: string, proof: () => Record<string, string>, cryptography: () => void): Promise<void> {
  const flow = () => client.send('POST', '/auth/token', { form: { grant_type: 'client_credentials', ...proof() } })
  // The slow hash of a secret is computed once in a day.
  await flow()
  if ((await measured(what, client, flow, cryptography)) > TIMES_MAX) process.exitCode = 1
}

/**
 * Prints what an empty route, one with a read, and one with a write of the database cost beside the same cryptography.
 */
async function plainFloors(): Promise<void> {
  const port = await freePort()
  const plain = fork(join(import.meta.dirname, 'plain-server.ts'), [String(port), postgres.url])
  await once(plain, 'message')
  const other = openClient([`http://127.0.0.1:${port}`], 16)
  for (const path of ['/empty', '/read', '/write']) {
    const flow = () => other.send('POST', path, { form: { client_id: 'secret', client_secret: secret } })
    await measured(`plain ${path}`, other, flow, signToken)
  }
  await other.close()
  plain.kill()
}

/** @returns CPU in floors */
async function measured(
  what: string,
  at: typeof client,
  flow: () => Promise<unknown>,
  cryptography: () => void,
): Promise<number> {
  await measure(at, { atOnce: 16, flow }, WARM_UP_SECONDS)
  const floor = startFloor(cryptography)
  const { perSecond, cpuMs, cpuMsLowest, statements, p50, roundTrips, p99 } = await measure(
    at,
    { atOnce: 16, flow },
    seconds,
  )
  const floorMs = floor()
  const times = cpuMs / floorMs
  console.log(
    `${what.padEnd(16)} ${perSecond.toFixed(0)}/s, CPU ${cpuMs.toFixed(3)} ms (lowest ${cpuMsLowest.toFixed(3)}), floor beside it ${floorMs.toFixed(3)} ms: ${times.toFixed(1)} times, ${statements.toFixed(2)} statements, ${roundTrips.toFixed(2)} round trips, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  )
  return times
}

/**
 * Runs the cryptography periodically beside the load.
 *
 * @returns what ends it: its mean CPU in ms, since the system counts CPU in coarse ticks
 */
function startFloor(cryptography: () => void): () => number {
  for (let n = 0; n < 300; n += 1) cryptography()
  let [pieces, microseconds] = [0, 0]
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage()
    for (let n = 0; n < PIECES; n += 1) cryptography()
    const after = process.cpuUsage()
    pieces += PIECES
    microseconds += after.user - user + after.system - system
  }, PAUSE_MS)
  return () => {
    clearInterval(timer)
    return microseconds / pieces / 1000
  }
}

function assertion(): Record<string, string> {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'signing',
    sub: 'signing',
    aud: `${server.url}/auth`,
    iat: now,
    exp: now + 60,
    jti: randomUUID(),
  }
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encoded({ alg: 'ES256', typ: 'JWT' })}.${encoded(claims)}`
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: `${signed}.${sign('sha256', Buffer.from(signed), es256).toString('base64url')}`,
  }
}
