import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { lockFolder } from './folder-lock.ts'

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'chirograph-lock-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

const holder = `import { lockFolder } from ${JSON.stringify(new URL('./folder-lock.ts', import.meta.url).href)}
lockFolder(process.argv[1]); console.log('held'); setInterval(() => {}, 1000)`

async function startHolder() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}

test('a second process is kept out with a text that says who holds the folder and what to do, and a killed one lets go', async () => {
  const child = await startHolder()
  assert.throws(() => lockFolder(folder), new RegExp(`in use by process ${child.pid}.*DATA_DIR.*DATABASE_URL`, 's'))
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
  lockFolder(folder)()
})

test('a lock left by a process whose id was given to another one is taken over', () => {
  writeFileSync(join(folder, 'lock'), `${process.ppid} 1`)
  lockFolder(folder)()
})
