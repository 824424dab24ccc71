import koffi, { type LibraryHandle } from 'koffi'
import { OS_LOCKING_OK, TokenError } from './cryptoki.ts'
import { initializeArguments, readUlong, ULONG_BYTES, ulong } from './structs.ts'

/**
 * The functions of a module in use: the index in CK_FUNCTION_LIST, counted from C_Initialize, and the parameters. `n`
 * is a number or handle, `b` a byte, `p` a pointer.
 */
const functions = {
  C_Initialize: [0, 'p'],
  C_GetSlotList: [4, 'bpp'],
  C_GetTokenInfo: [6, 'np'],
  C_GetMechanismList: [7, 'npp'],
  C_OpenSession: [12, 'nnppp'],
  C_CloseSession: [13, 'n'],
  C_GetSessionInfo: [15, 'np'],
  C_Login: [18, 'nnpn'],
  C_DestroyObject: [22, 'nn'],
  C_GetAttributeValue: [24, 'nnpn'],
  C_FindObjectsInit: [26, 'npn'],
  C_FindObjects: [27, 'npnp'],
  C_FindObjectsFinal: [28, 'n'],
  C_SignInit: [42, 'npn'],
  C_Sign: [43, 'npnpp'],
  C_GenerateKeyPair: [59, 'nppnpnpp'],
} as const satisfies Record<string, readonly [place: number, parameters: string]>

/** The name of a module's function in use. */
type FunctionName = keyof typeof functions

/** An argument: a number, handle or address; memory; or a null pointer. */
type Argument = number | bigint | Buffer | null

/** The module of a token's maker, loaded and initialized. */
export type Module = {
  /** Calls a function outside of the main thread. Rejects with TokenError for every return value but CKR_OK. */
  readonly call: (name: FunctionName, ...args: readonly Argument[]) => Promise<void>
  readonly addressOf: (buffer: Buffer) => bigint
}

type Native = { readonly async: (...args: unknown[]) => void }
const types = { n: 'unsigned long', b: 'unsigned char', p: 'void *' } as const
/**
 * Loaded libraries, referenced for the life of the process: koffi unloads a library without references, and does not
 * count function pointers.
 */
const loaded = new Map<string, LibraryHandle>()
const initializing = new Map<string, Promise<void>>()
/** `CK_VERSION` with the padding before the pointers. */
const LIST_HEAD_BYTES = ULONG_BYTES

/**
 * Loads and initializes a PKCS #11 module. C_GetFunctionList is the only symbol in use, because a module need not
 * export another one.
 *
 * @throws Error that names the setting
 * @see [PKCS #11 v3.0, 5.4](https://docs.oasis-open.org/pkcs11/pkcs11-base/v3.0/os/pkcs11-base-v3.0-os.html#_Toc29976561)
 */
export async function loadModule(path: string): Promise<Module> {
  if (process.platform === 'win32') throw new Error('KEY_PROVIDER pkcs11 does not run on Windows')
  const natives = functionsIn(path)
  // The arguments of a call are referenced until it returns, so that the garbage collector keeps them.
  const referenced = new Set<readonly Argument[]>()
  const module: Module = {
    addressOf: (buffer) => koffi.address(buffer),
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        referenced.add(args)
        natives[name].async(...args, (error: unknown, result: number | bigint) => {
          referenced.delete(args)
          if (error) reject(error)
          else if (Number(result) === 0) resolve()
          else reject(new TokenError(name, Number(result)))
        })
      }),
  }
  await initialize(path, module)
  return module
}

function functionsIn(path: string): Readonly<Record<FunctionName, Native>> {
  const list = ulong()
  try {
    const library = loaded.get(path) ?? koffi.load(path)
    loaded.set(path, library)
    const result = Number(library.func('C_GetFunctionList', 'unsigned long', ['void *'])(list))
    if (result !== 0) throw new TokenError('C_GetFunctionList', result)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown'
    throw new Error(`PKCS11_MODULE cannot be loaded: ${why}`, { cause })
  }
  const most = Math.max(...Object.values(functions).map(([place]) => place)) + 1
  const table = Buffer.from(koffi.view(readUlong(list), LIST_HEAD_BYTES + most * ULONG_BYTES))
  const entries = Object.entries(functions).map(([name, [place, parameters]]) => {
    const at = readUlong(table, LIST_HEAD_BYTES + place * ULONG_BYTES)
    if (at === 0n) throw new Error(`PKCS11_MODULE cannot be used: it has no ${name}`)
    const signature = koffi.proto(
      'unsigned long',
      [...parameters].map((one) => types[one as keyof typeof types]),
    )
    return [name, koffi.decode(at, signature) as Native]
  })
  return Object.fromEntries(entries) as Record<FunctionName, Native>
}

/**
 * Initializes a module once for all providers of the process: two threads must not initialize it concurrently.
 *
 * @see [PKCS #11 v3.0, 5.4](https://docs.oasis-open.org/pkcs11/pkcs11-base/v3.0/os/pkcs11-base-v3.0-os.html#_Toc29976561)
 */
function initialize(path: string, module: Module): Promise<void> {
  const known = initializing.get(path)
  if (known !== undefined) return known
  const begun = begin(module)
  initializing.set(path, begun)
  begun.catch(() => initializing.delete(path))
  return begun
}

async function begin({ call }: Module): Promise<void> {
  try {
    await call('C_Initialize', initializeArguments(OS_LOCKING_OK))
  } catch (error) {
    // Other code of this process has initialized it.
    if (!(error instanceof TokenError) || error.result !== 'CKR_CRYPTOKI_ALREADY_INITIALIZED') throw error
  }
}
