import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The program as a second opinion: it has read and checked more certificates than we ever will. */
export type OpenSsl = {
  /** Runs it in its folder. @returns what it printed; throws if it refuses. */
  readonly run: (...args: readonly string[]) => string
  /** As `run`, for what must be refused. @returns what it said. */
  readonly refuse: (...args: readonly string[]) => string
  /** Puts a file into its folder. @returns the name */
  readonly file: (name: string, content: string | Uint8Array) => string
  readonly read: (name: string) => string
  /** Where a file of its folder is. */
  readonly path: (name: string) => string
  readonly close: () => void
}

/** A folder of its own for one test file. @throws Error that says what to install, where the program is missing */
export function openSsl(): OpenSsl {
  if (spawnSync('openssl', ['version']).error !== undefined) {
    throw new Error('these tests ask openssl for a second opinion: install the package openssl')
  }
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-openssl-'))
  const run = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  return {
    run,
    refuse: (...args) => {
      try {
        run(...args)
      } catch (error) {
        // What a program leaves behind that ends with another code than 0.
        const { stdout, stderr } = error as { stdout: string; stderr: string }
        return `${stdout}${stderr}`
      }
      throw new Error(`openssl ${args[0]} did not refuse`)
    },
    file: (name, content) => {
      writeFileSync(join(folder, name), content)
      return name
    },
    read: (name) => execFileSync('cat', [join(folder, name)], { encoding: 'utf8' }),
    path: (name) => join(folder, name),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
