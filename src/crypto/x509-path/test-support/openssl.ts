import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Certificate } from '../../x509/certificate.ts'
import { type Crl, readCrl } from '../../x509/crl.ts'
import { readPem } from '../../x509/pem.ts'

/** Kinds of keys that openssl creates. */
export type KeyKind = 'p256' | 'p384' | 'p224' | 'ed25519' | 'rsa2048' | 'rsa1024'

/** A certificate that openssl created, and the file of its key. */
export type Made = {
  readonly certificate: Certificate
  readonly pem: string
  readonly keyFile: string
  readonly pemFile: string
}

/** Input of a certificate. `extensions`: lines of openssl's configuration. */
export type CertInput = {
  readonly subject: string
  /** Absent: self-signed. */
  readonly issuer?: Made
  readonly extensions: readonly string[]
  readonly key?: KeyKind
  /** The key of another certificate instead of a fresh one. */
  readonly keyOf?: Made
  /** `YYMMDDHHMMSSZ`; by default the year 2026. */
  readonly from?: string
  readonly until?: string
  readonly digest?: string
}

/** A folder for `openssl ca`, an implementation independent of ours. */
export type Openssl = {
  readonly make: (options: CertInput) => Made
  /**
   * A revocation list, current in May and June 2026; `revoked` must have been issued by `issuer`. `more`: options of
   * `openssl ca`.
   */
  readonly crl: (issuer: Made, revoked: readonly Made[], more?: readonly string[]) => Crl
  /** As `crl`, in DER. */
  readonly crlDer: Openssl['crl'] extends (...args: infer A) => unknown ? (...args: A) => Buffer : never
  readonly remove: () => void
}

const algorithms: Readonly<Record<KeyKind, readonly string[]>> = {
  p256: ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  p384: ['EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  p224: ['EC', '-pkeyopt', 'ec_paramgen_curve:P-224'],
  ed25519: ['ed25519'],
  rsa2048: ['RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  rsa1024: ['RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
}
const config = (folder: string, serial: number) => `
[ca]
default_ca = one
[one]
database = ${folder}/index-${serial}.txt
new_certs_dir = ${folder}
default_md = default
policy = any
unique_subject = no
rand_serial = yes
default_crl_days = 30
crlnumber = ${folder}/number-${serial}
crl_extensions = crl
[any]
countryName = optional
stateOrProvinceName = optional
organizationName = optional
commonName = optional
[req]
distinguished_name = dn
string_mask = utf8only
[dn]
[crl]
authorityKeyIdentifier = keyid
[partial]
authorityKeyIdentifier = keyid
issuingDistributionPoint = critical, @part
[part]
onlyuser = TRUE
`

/** Creates an empty folder. */
export function openssl(): Openssl {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-openssl-'))
  let count = 0
  const file = (name: string) => join(folder, name)
  const run = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const configured = () => {
    count += 1
    writeFileSync(file(`${count}.cnf`), config(folder, count))
    writeFileSync(file(`index-${count}.txt`), '')
    writeFileSync(file(`number-${count}`), '01')
    return count
  }
  const make = (options: CertInput): Made => {
    const n = configured()
    const keyFile = options.keyOf?.keyFile ?? file(`${n}.key`)
    if (options.keyOf === undefined) run('genpkey', '-algorithm', ...algorithms[options.key ?? 'p256'], '-out', keyFile)
    run('req', '-new', '-config', `${n}.cnf`, '-key', keyFile, '-subj', options.subject, '-out', `${n}.csr`)
    writeFileSync(file(`${n}.ext`), options.extensions.join('\n'))
    const signer = options.issuer
    const by =
      signer === undefined ? ['-selfsign', '-keyfile', keyFile] : ['-keyfile', signer.keyFile, '-cert', signer.pemFile]
    const span = ['-startdate', options.from ?? '260101000000Z', '-enddate', options.until ?? '261231235959Z']
    const how = [
      '-batch',
      '-notext',
      '-preserveDN',
      ...span,
      ...(options.digest === undefined ? [] : ['-md', options.digest]),
    ]
    run('ca', '-config', `${n}.cnf`, ...by, ...how, '-extfile', `${n}.ext`, '-in', `${n}.csr`, '-out', `${n}.pem`)
    const pem = readFileSync(file(`${n}.pem`), 'utf8')
    return { certificate: readPem(pem), pem, keyFile, pemFile: file(`${n}.pem`) }
  }
  const crlDer = (issuer: Made, revoked: readonly Made[], more: readonly string[] = []): Buffer => {
    const n = configured()
    const by = ['ca', '-config', `${n}.cnf`, '-keyfile', issuer.keyFile, '-cert', issuer.pemFile]
    for (const one of revoked) run(...by, '-revoke', one.pemFile)
    const span = ['-crl_lastupdate', '260501000000Z', '-crl_nextupdate', '260701000000Z']
    run(...by, '-gencrl', ...span, ...more, '-out', `${n}.crl`)
    return run('crl', '-in', `${n}.crl`, '-outform', 'DER')
  }
  return {
    make,
    crlDer,
    crl: (...args) => readCrl(crlDer(...args)),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Extensions of a root. */
export const rootExtensions = [
  'basicConstraints = critical, CA:true',
  'keyUsage = critical, keyCertSign, cRLSign',
  'subjectKeyIdentifier = hash',
]
/** Extensions of a certificate that signs credentials. */
export const leafExtensions = [
  'keyUsage = critical, digitalSignature',
  'subjectKeyIdentifier = hash',
  'authorityKeyIdentifier = keyid',
  'subjectAltName = URI:https://issuer.example, DNS:issuer.example',
]
