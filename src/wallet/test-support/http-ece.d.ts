/** The part of the package that tests use; it has no types of its own. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  export function decrypt(
    body: Buffer,
    keys: { readonly version: 'aes128gcm'; readonly privateKey: ECDH; readonly authSecret: Buffer },
  ): Buffer
}
