import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/support/free-port.ts'

/** A server in its own process. */
export type ServerProcess = {
  readonly url: string
  readonly pid: number
  /** Time from the start of the process to the first 200 of `/readyz`. */
  readonly readyMs: number
  /** Sends SIGTERM and waits for the exit. @returns the exit status. */
  readonly stop: () => Promise<number>
}

const entry = fileURLToPath(new URL('../bin/chirograph.js', import.meta.url))
const READY_MS_MAX = 30_000

/**
 * Starts `chirograph serve` on a free port, with these settings only.
 *
 * @throws Error with the output of the process if it exits or is not ready in time.
 */
export async function startServer(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const { PATH = '', HOME = '' } = process.env
  const from = performance.now()
  const server = spawn(process.execPath, [entry, 'serve'], {
    env: { PATH, HOME, PORT: String(port), PUBLIC_URL: url, LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let hasExited = false
  let isServing = false
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk) => {
      if (!isServing) output = (output + chunk).slice(-8_000)
    })
  }
  const ended = new Promise<number>((resolve) => server.once('exit', (status) => resolve(status ?? 1)))
  ended.then(() => {
    hasExited = true
  })
  while (!(await isReady(url))) {
    if (hasExited || performance.now() - from > READY_MS_MAX) {
      server.kill('SIGKILL')
      throw new Error(`the server did not become ready:\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  isServing = true
  return {
    url,
    pid: server.pid ?? 0,
    readyMs: Math.round(performance.now() - from),
    stop: () => {
      server.kill('SIGTERM')
      return ended
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    (answer) => answer.status === 200,
    () => false,
  )
}
