import { foreignText } from '../../protocols/foreign-text.ts'
import type { Verifier } from './api-types.ts'

/**
 * Returns how a verifier is called on a page, by what was verified of it, never by what it calls itself: its name; the
 * common name of a certificate, or the name of the trusted entity with its DID, where the organisation of the holder
 * trusts it; else the host which the answer goes to.
 */
export function verifierName({ name, trusted, responseHost, authenticated, basis }: Verifier): string {
  const subject = basis?.certificate?.subject
  const isReadable = name !== subject && !/^(did:|CN=|[\w.-]+:)/.test(name)
  const known = subject === undefined ? basis?.entity?.name : (commonName(subject) ?? subject)
  return foreignText(authenticated && isReadable ? name : trusted && known, 100) ?? responseHost
}

/** @param subject As in RFC 4514: attributes are separated by `,` or `+`, both escaped in values. */
function commonName(subject: string): string | undefined {
  const attributes = subject.match(/(?:\\.|[^\\,+])+/gsu) ?? []
  return attributes
    .find((one) => one.startsWith('CN='))
    ?.slice(3)
    .replaceAll(/\\(.)/gsu, '$1')
}
