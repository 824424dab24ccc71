import { cpSync, existsSync, mkdirSync, mkdtempSync, openAsBlob, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { openStore } from '../../src/store/opening/open-store.ts'

/**
 * Folder that all files of a run share. Without a run around it there is none, and each file makes its database from
 * nothing.
 */
const runFolder = process.env.TEST_RUN_FOLDER ?? null

/**
 * A migrated embedded database to start from, which the first file of a run makes: making one from nothing takes two
 * seconds of CPU, a copy a sixth of it.
 *
 * @returns null outside of a run.
 */
export async function embeddedTemplate(): Promise<Blob | null> {
  const folder = await templateFolder()
  return folder === null ? null : openAsBlob(join(folder, 'dump.tar'))
}

/** Lays a migrated database into a data folder that has none. Does nothing outside of a run. */
export async function layTemplate(dataDir: string): Promise<void> {
  const folder = await templateFolder()
  if (folder === null) return
  mkdirSync(dataDir, { recursive: true })
  cpSync(join(folder, 'pgdata'), join(dataDir, 'pgdata'), { recursive: true })
}

async function templateFolder(): Promise<string | null> {
  if (runFolder === null) return null
  const folder = join(runFolder, 'template')
  if (existsSync(folder)) return folder
  const made = mkdtempSync(join(runFolder, 'making-'))
  const options = { databaseUrl: null, dataDir: made, poolMax: 1, onIdleError: () => undefined }
  const store = await openStore(options)
  await store.migrate()
  await store.close()
  const db = await PGlite.create(join(made, 'pgdata'))
  writeFileSync(join(made, 'dump.tar'), Buffer.from(await (await db.dumpDataDir('none')).arrayBuffer()))
  await db.close()
  try {
    renameSync(made, folder)
  } catch {
    // Another file of the run was first: its own is as good.
    rmSync(made, { recursive: true, force: true })
  }
  return folder
}
