// Credo has a package of its own, since it would add a fifth to what everybody installs.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './source.ts'

/** The formats of credentials, as Credo issues and verifies them. */
export type CredoFormat = 'dc+sd-jwt' | 'mso_mdoc'

/** An issuer and a verifier of Credo on a loopback port, in both formats. */
export type CredoPeer = {
  /** Makes an offer of one credential, with a pre-authorized code. Returns its link. */
  readonly offer: (format: CredoFormat) => Promise<string>
  /** Requests the height alone; the response is encrypted. */
  readonly request: (format: CredoFormat) => Promise<{ readonly link: string; readonly id: string }>
  /**
   * Returns the claims that Credo verified in the response, without those of the protocol.
   *
   * @throws Error when there is no valid response
   */
  readonly verified: (id: string) => Promise<unknown>
  readonly close: () => Promise<void>
}

const folder = join(root, 'peers/credo')

/** Why tests with Credo are left out; false: they run. */
export const withoutCredo = existsSync(join(folder, 'node_modules/@credo-ts/core'))
  ? false
  : 'Credo is not installed (npm ci --prefix peers/credo)'

/** Starts Credo. */
export async function openCredo(): Promise<CredoPeer> {
  const { openCredo } = (await import(pathToFileURL(join(folder, 'credo-agent.ts')).href)) as {
    readonly openCredo: () => Promise<CredoPeer>
  }
  return openCredo()
}
