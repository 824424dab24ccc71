import { spawn, spawnSync } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from './free-port.ts'

/** Settings of an account that the server below accepts, as every other one. */
export const anAccount = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'a-secret-for-tests',
  AWS_REGION: 'us-east-1',
}

/** What becomes of a request: it is passed on; its answer is lost; it is refused; nothing happens. */
type Mode = 'pass' | 'lose-answer' | 'refuse' | 'silent'

/** An S3-compatible server of another project (moto), behind a proxy that may lose what it is told. */
export type TestObjectStore = {
  readonly endpoint: string
  /** For the next `times` requests with a method, by default for all until the next call. */
  readonly become: (mode: Mode, times?: number) => void
  readonly close: () => Promise<void>
}

const program = process.env.MOTO_SERVER ?? 'moto_server'
/** Whether the machine has the server: `pip install 'moto[server]'`, in PATH or as MOTO_SERVER. */
export const hasObjectStore = spawnSync(program, ['--help']).error === undefined

/** Starts a server with one empty bucket. */
export async function startObjectStore(bucket: string): Promise<TestObjectStore> {
  const port = await freePort()
  const child = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  const target = `http://127.0.0.1:${port}`
  while (
    !(await fetch(`${target}/moto-api/`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 50))
  await fetch(`${target}/${bucket}`, { method: 'PUT' })
  let mode: Mode = 'pass'
  let left = Number.POSITIVE_INFINITY
  // The server looks at the condition of a write and writes in two steps; a store that keeps the promise does it in
  // one.
  let written: Promise<unknown> = Promise.resolve()
  const front = createServer(async (incoming, outgoing) => {
    const now = left > 0 ? mode : 'pass'
    left -= 1
    if (now === 'refuse') return void outgoing.writeHead(500).end()
    if (now === 'silent') return
    const { method, url, headers } = incoming
    if (method === 'PUT') {
      const before = written
      written = new Promise((resolve) => outgoing.once('close', resolve))
      await before
    }
    const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      if (now === 'lose-answer') return void outgoing.destroy()
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    become: (next, times = Number.POSITIVE_INFINITY) => {
      mode = next
      left = times
    },
    close: async () => {
      front.closeAllConnections()
      await new Promise((resolve) => front.close(resolve))
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    },
  }
}
