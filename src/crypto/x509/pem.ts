import { Fault } from '../../fault.ts'
import { type Certificate, readCertificate } from './certificate.ts'

/** Label of a PEM block. */
type PemLabel = 'CERTIFICATE' | 'CERTIFICATE REQUEST' | 'X509 CRL'

/** More than the longest chain that is validated. */
const BLOCKS_MAX = 10
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g

/** Encodes DER as PEM, in lines of 64 characters that end in `\n`. [CSR-4] @see [RFC 7468, 2](https://www.rfc-editor.org/rfc/rfc7468#section-2) */
export function toPem(label: PemLabel, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

/**
 * Decodes the PEM blocks of a text, in order. Text around the blocks is ignored, as RFC 7468 2 allows.
 *
 * @throws Fault `certificate.invalid` if there is none, more than {@link BLOCKS_MAX}, or one of another kind, e.g. a
 *   private key
 */
export function fromPem(label: PemLabel, text: string): Buffer[] {
  const blocks = [...text.matchAll(BLOCK)].map(([, found = '', body = '']) => ({ found, body }))
  if (blocks.length === 0) throw refused(`there is no PEM block "${label}" in it`)
  if (blocks.length > BLOCKS_MAX) throw refused(`there are more than ${BLOCKS_MAX} PEM blocks in it`)
  return blocks.map(({ found, body }) => {
    // Older tools write `NEW CERTIFICATE REQUEST`.
    if (found !== label && found !== `NEW ${label}`) throw refused(`it is a PEM block "${found}", not "${label}"`)
    const base64 = body.replace(/\s/g, '')
    const der = Buffer.from(base64, 'base64')
    if (der.length === 0 || der.toString('base64') !== base64) throw refused(`the PEM block "${label}" is not base64`)
    return der
  })
}

/** Reads a text that is exactly one certificate in PEM. @throws Fault `certificate.invalid` */
export function readPem(text: string): Certificate {
  const [der, ...more] = fromPem('CERTIFICATE', text)
  const isAll =
    text.trim().startsWith('-----BEGIN CERTIFICATE-----') && text.trim().endsWith('-----END CERTIFICATE-----')
  if (der === undefined || more.length > 0 || !isAll)
    throw refused('it is not one PEM block "CERTIFICATE" and nothing else')
  return readCertificate(der)
}

function refused(why: string): Fault {
  return new Fault('certificate.invalid', { detail: `It is not well-formed: ${why}.`, meta: { rule: 'form' } })
}
