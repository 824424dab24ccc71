import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A token of SoftHSM in a folder of its own. One for a test file: the module of a process knows one folder. */
export type SoftHsm = {
  /** Path of the PKCS #11 module. */
  readonly module: string
  readonly label: string
  readonly pinFile: string
  /** What a child process must have in its environment. */
  readonly env: { readonly SOFTHSM2_CONF: string }
  /** The settings of a server that makes its keys there. */
  readonly settings: Readonly<Record<string, string>>
  readonly pin: string
  /** Initializes one more token. */
  readonly addToken: (label: string) => void
  readonly close: () => void
}

/** Where Debian, Fedora and Homebrew put it. */
const MODULES = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
]
const PIN = '739106'

/**
 * Makes a token and points the module of this process to it.
 *
 * @throws Error that says what to install, where the program is missing
 */
export function softHsm(): SoftHsm {
  if (spawnSync('softhsm2-util', ['--version']).error !== undefined) {
    throw new Error('these tests sign in a token: install the package softhsm2')
  }
  const module = MODULES.find((path) => existsSync(path)) ?? 'libsofthsm2.so'
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-softhsm-'))
  const env = { SOFTHSM2_CONF: join(folder, 'softhsm2.conf') }
  const pinFile = join(folder, 'pin')
  mkdirSync(join(folder, 'tokens'))
  writeFileSync(env.SOFTHSM2_CONF, `directories.tokendir = ${join(folder, 'tokens')}\nlog.level = ERROR\n`)
  writeFileSync(pinFile, `${PIN}\n`, { mode: 0o600 })
  const addToken = (label: string) => {
    const about = ['--init-token', '--free', '--label', label, '--pin', PIN, '--so-pin', '60281754']
    execFileSync('softhsm2-util', about, { env: { ...process.env, ...env }, stdio: 'pipe' })
  }
  const label = 'chirograph test'
  addToken(label)
  process.env.SOFTHSM2_CONF = env.SOFTHSM2_CONF
  const settings = { KEY_PROVIDER: 'pkcs11', PKCS11_MODULE: module, PKCS11_TOKEN: label, PKCS11_PIN_FILE: pinFile }
  const close = () => rmSync(folder, { recursive: true, force: true })
  return { module, label, pinFile, env, settings, pin: PIN, addToken, close }
}
