import type { OpenSsl } from '../../../test/support/openssl.ts'

/** How a foreign authority signs. */
export type ForeignAsk = {
  /** Lines of an openssl extension section. */
  readonly extensions?: string
  readonly days?: number
  /** Instead of the subject of the request, in the form of openssl. */
  readonly subject?: string
  /** Signs a key of its own instead of that of the request. */
  readonly otherKey?: boolean
}

/** A foreign authority, run with openssl. */
export type ForeignAuthority = {
  readonly root: string
  /** Signs a request in PEM. @returns a certificate in PEM */
  readonly sign: (csr: string, ask?: ForeignAsk) => string
}

/** What a signer of mobile driving licences is given by a good authority. */
export const documentSigner = 'keyUsage=critical,digitalSignature\nextendedKeyUsage=critical,1.0.18013.5.1.2'
/** What a signer of other credentials is given. */
export const plainSigner = 'keyUsage=critical,digitalSignature'
/** What a reader is given. */
export const reader = 'keyUsage=critical,digitalSignature\nextendedKeyUsage=critical,1.0.18013.5.1.6'

const authorityExtensions =
  'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n'
const alwaysThere = 'subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n'
let count = 0

/** Makes an authority with a P-256 key. @param below An authority that signs this one. */
export function aForeignAuthority(
  ssl: OpenSsl,
  subject = '/C=ZA/CN=State CA',
  below?: ForeignAuthority,
): ForeignAuthority {
  count += 1
  const name = `ca${count}`
  const [key, pem] = [`${name}.key`, `${name}.pem`]
  ssl.run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', key)
  ssl.run('req', '-new', '-key', key, '-subj', subject, '-out', `${name}.csr`)
  if (below === undefined) {
    ssl.file(`${name}.ext`, authorityExtensions)
    const more = ['-days', '3650', '-sha256', '-extfile', `${name}.ext`, '-out', pem]
    ssl.run('x509', '-req', '-in', `${name}.csr`, '-signkey', key, ...more)
  } else {
    ssl.file(
      pem,
      below.sign(ssl.read(`${name}.csr`), {
        extensions: authorityExtensions.replace(/subjectKey.*\n/, ''),
        days: 3000,
      }),
    )
  }
  return { root: ssl.read(pem), sign: (csr, ask = {}) => signed(ssl, { key, pem }, csr, ask) }
}

function signed(ssl: OpenSsl, by: { key: string; pem: string }, csr: string, ask: ForeignAsk): string {
  count += 1
  const name = `leaf${count}`
  ssl.file(`${name}.csr`, csr)
  ssl.file(`${name}.ext`, `${alwaysThere}${ask.extensions ?? plainSigner}\n`)
  const files = [
    '-in',
    `${name}.csr`,
    '-extfile',
    `${name}.ext`,
    '-CA',
    by.pem,
    '-CAkey',
    by.key,
    '-out',
    `${name}.pem`,
  ]
  const subject = ask.subject === undefined ? [] : ['-subj', ask.subject]
  if (ask.otherKey === true) ssl.run('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${name}.key`)
  const other = ask.otherKey === true ? ['-force_pubkey', publicKeyOf(ssl, name)] : []
  const serial = ['-set_serial', String(1000 + count)]
  ssl.run('x509', '-req', '-sha256', '-days', String(ask.days ?? 365), ...files, ...subject, ...other, ...serial)
  return ssl.read(`${name}.pem`)
}

function publicKeyOf(ssl: OpenSsl, name: string): string {
  ssl.run('pkey', '-in', `${name}.key`, '-pubout', '-out', `${name}.pub`)
  return `${name}.pub`
}
