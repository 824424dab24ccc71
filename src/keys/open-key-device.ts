import { readFile } from 'node:fs/promises'
import type { KeyDeviceConfig } from '../config/key-device.ts'
import { importOptional } from '../optional-package.ts'
import { deviceKeys } from './device-keys.ts'
import type { KeyDevice } from './key-provider.ts'
import type { OpenToken } from './signing-device.ts'

/**
 * Opens the token that the settings name. Without one nothing is loaded.
 *
 * @throws Error that names the setting
 */
export async function openKeyDevice(config: KeyDeviceConfig | null): Promise<KeyDevice | null> {
  if (config === null) return null
  const { module, slot, pinFile } = config
  // Read once here, so that a mistake is reported at start and not at the first login.
  const pin = await readPin(pinFile)
  pin.fill(0)
  // The package checks itself against this type.
  const loaded = (await importOptional('@chirograph/pkcs11', 'PKCS11_MODULE')) as { readonly openToken: OpenToken }
  return deviceKeys(await loaded.openToken({ module, slot, readPin: () => readPin(pinFile) }))
}

/** Reads the PIN: the file without trailing line breaks. */
async function readPin(file: string): Promise<Buffer> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    // Only the code, since the message contains the path.
    const why = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    throw new Error(`PKCS11_PIN_FILE cannot be read${why}`)
  }
  let end = bytes.length
  while (end > 0 && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end--
  if (end === 0) throw new Error('PKCS11_PIN_FILE is empty')
  return bytes.subarray(0, end)
}
