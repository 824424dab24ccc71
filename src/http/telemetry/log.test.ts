import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

/** Runs `code` with an open log `log` in a process of its own. @returns the messages that arrived */
function messagesOf(code: string): string[] {
  const module = new URL('./log.ts', import.meta.url).href
  const script = `import { openLog } from ${JSON.stringify(module)}; const log = openLog('info'); ${code}`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  return stdout
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).msg)
}

test('an error and the lines before it are written before the process is killed', () => {
  const code = "log.info({}, 'before'); log.error({}, 'failed'); process.kill(process.pid, 'SIGKILL')"
  assert.deepEqual(messagesOf(code), ['before', 'failed'])
})

test('no line is lost when the process ends by an uncaught error or by exit', () => {
  for (const end of ["throw new Error('x')", 'process.exit(3)', "setTimeout(() => { throw new Error('x') }, 20)"]) {
    assert.deepEqual(messagesOf(`log.info({}, 'first'); log.warn({}, 'last'); ${end}`), ['first', 'last'], end)
  }
})
