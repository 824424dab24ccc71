import { readFile } from 'node:fs/promises'
import type { KeyDeviceConfig } from '../../config/key-device.ts'
import type { KeyDevice } from '../key-provider.ts'

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
  const { openTokenKeys } = await import('./token-keys.ts')
  return openTokenKeys({ module, slot, readPin: () => readPin(pinFile) })
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
