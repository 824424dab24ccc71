import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
await lockFolder(process.argv[1]); console.log('held'); setInterval(() => {}, 1000)`

async function startHolder() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}

test('a second process is refused with the id of the holder and what to do, and the lock of a killed one is taken over', async () => {
  const child = await startHolder()
  await assert.rejects(lockFolder(folder), new RegExp(`in use by process ${child.pid}.*DATA_DIR.*DATABASE_URL`, 's'))
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
  ;(await lockFolder(folder))()
})

test('the lock of a process whose id was reused is taken over', async () => {
  writeFileSync(join(folder, 'lock'), `${process.ppid} 1`)
  ;(await lockFolder(folder))()
})

test('the lock waits for a process that is ending', async () => {
  const child = await startHolder()
  setTimeout(() => child.kill('SIGKILL'), 500)
  ;(await lockFolder(folder))()
})

test('a zombie does not hold the folder', {
  skip: process.platform !== 'linux',
}, async () => {
  // The shell becomes `sleep`, which never asks how its child ended.
  const script = '"$0" --input-type=module -e "$1" "$2" & exec sleep 60'
  const parent = spawn('sh', ['-c', script, process.execPath, holder, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => parent.stdout.once('data', resolve))
  const pid = Number(readFileSync(join(folder, 'lock'), 'utf8').split(' ')[0])
  process.kill(pid, 'SIGKILL')
  for (let turn = 0; turn < 100 && stateOf(pid) !== 'Z'; turn += 1) await new Promise((done) => setTimeout(done, 20))
  assert.equal(stateOf(pid), 'Z')
  const unlock = await lockFolder(folder)
  unlock()
  parent.kill('SIGKILL')
})

function stateOf(pid: number): string | undefined {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0]
}
