/** Names and numbers of PKCS #11 that we use. @see [PKCS #11 v3.0](https://docs.oasis-open.org/pkcs11/pkcs11-base/v3.0/os/pkcs11-base-v3.0-os.html) */
export const mechanisms = {
  CKM_RSA_PKCS_KEY_PAIR_GEN: 0x0,
  CKM_SHA256_RSA_PKCS: 0x40,
  CKM_EC_KEY_PAIR_GEN: 0x1040,
  CKM_ECDSA: 0x1041,
  CKM_EC_EDWARDS_KEY_PAIR_GEN: 0x1055,
  CKM_EDDSA: 0x1057,
} as const

/** The name of a mechanism. */
export type Mechanism = keyof typeof mechanisms

/** Attributes of objects. */
export const attributes = {
  CKA_CLASS: 0x0,
  CKA_TOKEN: 0x1,
  CKA_PRIVATE: 0x2,
  CKA_LABEL: 0x3,
  CKA_ID: 0x102,
  CKA_SENSITIVE: 0x103,
  CKA_SIGN: 0x108,
  CKA_VERIFY: 0x10a,
  CKA_MODULUS: 0x120,
  CKA_MODULUS_BITS: 0x121,
  CKA_PUBLIC_EXPONENT: 0x122,
  CKA_EXTRACTABLE: 0x162,
  CKA_EC_PARAMS: 0x180,
  CKA_EC_POINT: 0x181,
} as const

/** Classes of objects. */
export const objectClasses = { publicKey: 2, privateKey: 3 } as const

/** CKF_SERIAL_SESSION and CKF_RW_SESSION. */
export const READ_WRITE_SESSION = 0x4 | 0x2
/** CKS_RW_USER_FUNCTIONS: this process has logged in. */
export const USER_SESSION = 3
/** CKU_USER. */
export const NORMAL_USER = 1
/** Tells the module that several threads call it. */
export const OS_LOCKING_OK = 0x2

const results = {
  CKR_HOST_MEMORY: 0x2,
  CKR_SLOT_ID_INVALID: 0x3,
  CKR_GENERAL_ERROR: 0x5,
  CKR_FUNCTION_FAILED: 0x6,
  CKR_ARGUMENTS_BAD: 0x7,
  CKR_ATTRIBUTE_READ_ONLY: 0x10,
  CKR_ATTRIBUTE_SENSITIVE: 0x11,
  CKR_ATTRIBUTE_TYPE_INVALID: 0x12,
  CKR_ATTRIBUTE_VALUE_INVALID: 0x13,
  CKR_ACTION_PROHIBITED: 0x1b,
  CKR_DEVICE_ERROR: 0x30,
  CKR_DEVICE_MEMORY: 0x31,
  CKR_DEVICE_REMOVED: 0x32,
  CKR_FUNCTION_CANCELED: 0x50,
  CKR_FUNCTION_NOT_SUPPORTED: 0x54,
  CKR_KEY_HANDLE_INVALID: 0x60,
  CKR_KEY_TYPE_INCONSISTENT: 0x63,
  CKR_KEY_FUNCTION_NOT_PERMITTED: 0x68,
  CKR_MECHANISM_INVALID: 0x70,
  CKR_MECHANISM_PARAM_INVALID: 0x71,
  CKR_OBJECT_HANDLE_INVALID: 0x82,
  CKR_OPERATION_ACTIVE: 0x90,
  CKR_OPERATION_NOT_INITIALIZED: 0x91,
  CKR_PIN_INCORRECT: 0xa0,
  CKR_PIN_INVALID: 0xa1,
  CKR_PIN_LEN_RANGE: 0xa2,
  CKR_PIN_EXPIRED: 0xa3,
  CKR_PIN_LOCKED: 0xa4,
  CKR_SESSION_CLOSED: 0xb0,
  CKR_SESSION_COUNT: 0xb1,
  CKR_SESSION_HANDLE_INVALID: 0xb3,
  CKR_SESSION_READ_ONLY: 0xb5,
  CKR_TEMPLATE_INCOMPLETE: 0xd0,
  CKR_TEMPLATE_INCONSISTENT: 0xd1,
  CKR_TOKEN_NOT_PRESENT: 0xe0,
  CKR_TOKEN_NOT_RECOGNIZED: 0xe1,
  CKR_TOKEN_WRITE_PROTECTED: 0xe2,
  CKR_USER_ALREADY_LOGGED_IN: 0x100,
  CKR_USER_NOT_LOGGED_IN: 0x101,
  CKR_USER_PIN_NOT_INITIALIZED: 0x102,
  CKR_USER_TYPE_INVALID: 0x103,
  CKR_DOMAIN_PARAMS_INVALID: 0x130,
  CKR_CURVE_NOT_SUPPORTED: 0x140,
  CKR_BUFFER_TOO_SMALL: 0x150,
  CKR_CRYPTOKI_NOT_INITIALIZED: 0x190,
  CKR_CRYPTOKI_ALREADY_INITIALIZED: 0x191,
} as const

/** The name of a known return value. */
type ResultName = keyof typeof results
const names = new Map<number, ResultName>(Object.entries(results).map(([name, code]) => [code, name as ResultName]))

/**
 * A failed function of the token's module. The message names the function and the return value, never its arguments.
 */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  /** null for a value that is not in the table, e.g. one of a vendor. */
  readonly result: ResultName | null

  constructor(what: string, code: number) {
    super(`${what} failed with ${names.get(code) ?? `0x${code.toString(16)}`}`)
    this.result = names.get(code) ?? null
  }
}

/** The token refused the PIN: trying again would lock it. */
const aboutPin: readonly ResultName[] = [
  'CKR_PIN_INCORRECT',
  'CKR_PIN_INVALID',
  'CKR_PIN_LEN_RANGE',
  'CKR_PIN_EXPIRED',
  'CKR_PIN_LOCKED',
  'CKR_USER_PIN_NOT_INITIALIZED',
]
/** May succeed in a new session with a new handle of the key. */
const transient: readonly ResultName[] = [
  'CKR_SESSION_HANDLE_INVALID',
  'CKR_SESSION_CLOSED',
  'CKR_USER_NOT_LOGGED_IN',
  'CKR_DEVICE_REMOVED',
  'CKR_DEVICE_ERROR',
  'CKR_TOKEN_NOT_PRESENT',
  'CKR_CRYPTOKI_NOT_INITIALIZED',
  'CKR_KEY_HANDLE_INVALID',
  'CKR_OBJECT_HANDLE_INVALID',
  'CKR_OPERATION_ACTIVE',
]

/** Whether the token refused the PIN. */
export function isAboutPin(error: unknown): boolean {
  return isOneOf(error, aboutPin)
}

/** Whether the same call may succeed in a new session. */
export function isTransientResult(error: unknown): boolean {
  return isOneOf(error, transient)
}

/** Whether a function of the module failed with one of these return values. */
export function isOneOf(error: unknown, expected: readonly ResultName[]): boolean {
  return error instanceof TokenError && error.result !== null && expected.includes(error.result)
}
