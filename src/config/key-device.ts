/** The PKCS #11 token, and how to log in to it. */
export type KeyDeviceConfig = {
  readonly module: string
  readonly slot: { readonly id: number } | { readonly label: string }
  /** Read at every login. */
  readonly pinFile: string
}

type KeyDeviceSettings = {
  readonly keyProvider: string | null
  readonly pkcs11Module: string | null
  readonly pkcs11Slot: number | null
  readonly pkcs11Token: string | null
  readonly pkcs11PinFile: string | null
}

/** Returns the token for new or existing keys. @returns null if none is configured */
export function keyDeviceOf(settings: KeyDeviceSettings): KeyDeviceConfig | null {
  const { pkcs11Module: module, pkcs11Slot: id, pkcs11Token: label, pkcs11PinFile: pinFile } = settings
  if (module === null || pinFile === null) return null
  if (id !== null) return { module, slot: { id }, pinFile }
  return label === null ? null : { module, slot: { label }, pinFile }
}

/** Lists missing and contradictory settings of the token. */
export function keyDeviceMistakes(settings: KeyDeviceSettings): string[] {
  const { pkcs11Module, pkcs11Slot, pkcs11Token, pkcs11PinFile } = settings
  const all = [pkcs11Module, pkcs11Slot, pkcs11Token, pkcs11PinFile]
  if (settings.keyProvider !== 'pkcs11' && all.every((one) => one === null)) return []
  const mistakes: string[] = []
  if (pkcs11Module === null)
    mistakes.push('PKCS11_MODULE is required for keys in a token: the path of its PKCS #11 module')
  if (pkcs11PinFile === null)
    mistakes.push('PKCS11_PIN_FILE is required for keys in a token: the path of the file that holds the PIN')
  if (pkcs11Slot === null && pkcs11Token === null)
    mistakes.push('PKCS11_TOKEN is required for keys in a token: its label; or PKCS11_SLOT, the number of its slot')
  if (pkcs11Slot !== null && pkcs11Token !== null) mistakes.push('PKCS11_SLOT must not be set beside PKCS11_TOKEN')
  return mistakes
}
