import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { measure, openClient } from './measure.ts'
import { bootstrap } from './party.ts'
import { questions } from './questions.ts'

const postgres = await startPostgres({ durable: true })
const folder = mkdtempSync(join(tmpdir(), 'vp-bench-'))
const file = join(folder, 'bootstrap.json')
writeFileSync(file, JSON.stringify(bootstrap))
const port = await freePort()
const url = `http://localhost:${port}`
const { PATH = '', HOME = '' } = process.env
const server = spawn(
  process.execPath,
  [...(process.argv[2] === 'prof' ? ['--cpu-prof', '--cpu-prof-dir=/tmp/vpprof'] : []), 'bin/chirograph.js', 'serve'],
  {
    stdio: 'inherit',
    env: {
      PATH,
      HOME,
      PORT: String(port),
      PUBLIC_URL: url,
      DATA_DIR: join(folder, 'data'),
      BOOTSTRAP_FILE: file,
      LOG_LEVEL: 'error',
      DATABASE_URL: postgres.url,
    },
  },
)
while (
  !(await fetch(`${url}/readyz`).then(
    (r) => r.status === 200,
    () => false,
  ))
)
  await new Promise((r) => setTimeout(r, 50))
const client = openClient([url], 16)
for await (const { what, load } of questions(client, 1)) {
  if (what !== 'presentation') continue
  await measure(client, load, 12)
  console.log(await measure(client, load, 12))
  break
}
await client.close()
await new Promise((r) => {
  server.once('exit', r)
  server.kill('SIGTERM')
})
await postgres.stop()
process.exit(0)
