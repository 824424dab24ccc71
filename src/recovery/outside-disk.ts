import { open } from 'node:fs/promises'
import { withTimeLimit } from '../time-limit.ts'

/** Time limit of one write outside the database. */
export const WRITE_MS_MAX = 5000

/**
 * Returns a function that runs writes to a disk that may stop answering, such as one in the network, and rejects those
 * that are late. A late write continues, and occupies one of the few threads of the process that read and write files;
 * so none begins before it has ended.
 */
export function limitedWrites(name: string, msMax: number): (write: () => Promise<void>) => Promise<void> {
  let running: Promise<void> | null = null
  return async (write) => {
    if (running !== null) throw new Error(`${name} is still being written since an earlier attempt`)
    running = write().finally(() => {
      running = null
    })
    await withTimeLimit(running, msMax, () => new Error(`${name} was not written within ${msMax} ms`))
  }
}

/** Makes names in a folder durable, as after the creation of a file or a rename: to sync the file is not enough. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
