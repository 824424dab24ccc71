import { setting } from './setting.ts'
import { bytes, integer, oneOf, text } from './setting-types.ts'

/** Keys that seal, and where private keys are. */
export const keysSettings = {
  masterKey: setting(
    'MASTER_KEY',
    bytes(32),
    null,
    '32 bytes in base64: seals personal data and private keys at rest. Losing it loses them. In development one is generated under DATA_DIR.',
  ),
  masterKeyPrevious: setting(
    'MASTER_KEY_PREVIOUS',
    bytes(32),
    null,
    'The master key before MASTER_KEY. It still opens the data keys of tenants; each is sealed under MASTER_KEY as soon as a server opens it. Keep it until every tenant was used.',
  ),
  keyProvider: setting(
    'KEY_PROVIDER',
    oneOf('software', 'pkcs11'),
    'software',
    'Where new private keys are generated: in memory and sealed in the database, or in a PKCS #11 token that they never leave. Existing keys stay where they are (docs/keys.md).',
  ),
  pkcs11Module: setting(
    'PKCS11_MODULE',
    text(),
    null,
    'Path of the PKCS #11 module of the token. Needs the package @chirograph/pkcs11 (docs/keys.md). Required as long as the token holds a key, for every KEY_PROVIDER.',
  ),
  pkcs11Token: setting('PKCS11_TOKEN', text(), null, 'Label of the token. Stable when slot numbers change.'),
  pkcs11Slot: setting(
    'PKCS11_SLOT',
    integer(0, Number.MAX_SAFE_INTEGER),
    null,
    'Number of the slot of the token, instead of PKCS11_TOKEN.',
  ),
  pkcs11PinFile: setting(
    'PKCS11_PIN_FILE',
    text(),
    null,
    "Path of a file with the PIN of the token's user; trailing line breaks are ignored. Read at every login.",
  ),
} as const
