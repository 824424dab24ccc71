import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/**
 * Below the range from which systems take the ports of outgoing connections: between the test and its server nothing
 * else takes one.
 */
const LOWEST = 10_000
const HIGHEST = 32_000

/** Folder that all files of a run share; null outside of a run. */
const runFolder = process.env.TEST_RUN_FOLDER ?? null

/** Returns a port of the loopback interface that is free now, and that no other file of the run is given. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST)
    if (reserve(port) && (await isFree(port))) return port
  }
  throw new Error('no port is free')
}

/** A server listens a while after its port is chosen: until then nothing but this file says that it is taken. */
function reserve(port: number): boolean {
  if (runFolder === null) return true
  try {
    writeFileSync(join(runFolder, `port-${port}`), '', { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
