import { readFile } from 'node:fs/promises'
import type { KeyDeviceConfig } from '../../config/key-device.ts'
import type { KeyDevice } from '../key-provider.ts'

/**
 * Opens the token that the settings name. Without one nothing is loaded.
 *
 * @throws Error that names the setting to look at
 */
export async function openKeyDevice(config: KeyDeviceConfig | null): Promise<KeyDevice | null> {
  if (config === null) return null
  const { module, slot, pinFile } = config
  // Also where it is not needed yet: a mistake shows at start, and not when a connection is lost.
  const pin = await readPin(pinFile)
  pin.fill(0)
  const { openTokenKeys } = await import('./token-keys.ts')
  return openTokenKeys({ module, slot, readPin: () => readPin(pinFile) })
}

/** The PIN is what stands in the file up to a line break at its end. */
async function readPin(file: string): Promise<Buffer> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    // Only the code: the message of the system names the path.
    const why = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    throw new Error(`PKCS11_PIN_FILE cannot be read${why}`)
  }
  let end = bytes.length
  while (end > 0 && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end--
  if (end === 0) throw new Error('PKCS11_PIN_FILE is empty')
  return bytes.subarray(0, end)
}
