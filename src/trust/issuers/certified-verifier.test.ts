import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { anchorSetOf, noAnchors, type Purpose } from '../../crypto/x509-path/anchor.ts'
import { leafExtensions, type Made, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { OWN_ANCHOR } from '../revocation/revocation-lists.ts'
import { certifiedVerifier } from './certified-verifier.ts'

const tool = openssl()
after(() => tool.remove())
const years = { from: '200101000000Z', until: '491231235959Z' }
const root = tool.make({ subject: '/C=ZA/CN=Readers', extensions: rootExtensions, ...years })
const names = 'subjectAltName = DNS:reader.example'
const extensions = [...leafExtensions.slice(0, 3), names]
const reader = tool.make({ subject: '/C=ZA/CN=Reader', extensions, issuer: root, ...years })
const client = { prefix: 'x509_san_dns', id: 'reader.example' } as const
const operation = 'POST https://us.example/creds/trusted-entities'
const now = new Date()

function check(chain: readonly Made[], owner: string | null) {
  const x5c = chain.map(({ certificate }) => certificate.der.toString('base64'))
  const anchor = { certificate: root.certificate, purposes: ['verifier'] as const }
  const anchors = owner === null ? noAnchors : anchorSetOf([{ ...anchor, owner }])
  return certifiedVerifier(x5c, client, { anchors, now }, { address: null, operation })
}

test('a verifier under a root of the tenant itself is its own, one under a root of a trusted entity is not', () => {
  assert.partialDeepStrictEqual(check([reader], OWN_ANCHOR), { name: 'CN=Reader,C=ZA', isOwn: true })
  assert.partialDeepStrictEqual(check([reader], 'an entity'), { name: 'CN=Reader,C=ZA', isOwn: false })
})

test('the refusal of an unknown root names its fingerprint, or its key identifier where the chain leaves the root out', () => {
  const { fingerprint, extensions: found } = root.certificate
  const keyIdentifier = found.subjectKeyId?.toString('hex')
  assert.throws(() => check([reader, root], null), { detail: new RegExp(`Readers,C=ZA \\(SHA-256 ${fingerprint}\\)`) })
  assert.throws(() => check([reader], null), {
    detail: new RegExp(`Readers,C=ZA \\(key identifier ${keyIdentifier}\\)`),
  })
})

const own = tool.make({ subject: '/C=ZA/CN=Alone', extensions, ...years })
const past = tool.make({ subject: '/C=ZA/CN=Past', extensions, from: '200101000000Z', until: '200201000000Z' })
const alone = ({ certificate }: Made, pinned: Made, purposes: readonly Purpose[] = ['verifier']) =>
  certifiedVerifier(
    [certificate.der.toString('base64')],
    client,
    {
      anchors: anchorSetOf([{ certificate: pinned.certificate, purposes, owner: 'an entity' }]),
      now,
    },
    { address: null, operation },
  )

test('a self-signed verifier certificate is trusted as itself, where a trusted entity has that very certificate', () => {
  assert.partialDeepStrictEqual(alone(own, own), { name: 'CN=Alone,C=ZA', isOwn: false })
  const twin = tool.make({ subject: '/C=ZA/CN=Alone', extensions, ...years })
  for (const [what, run] of [
    ['another key of that name', () => alone(twin, own)],
    ['[X5-4] trusted for issuing only', () => alone(own, own, ['issuer'])],
    ['expired', () => alone(past, past)],
    ['[SEC-27] a certification authority that signs requests', () => alone(root, root)],
    ['what it signed', () => alone(tool.make({ subject: '/C=ZA/CN=Below', extensions, issuer: own, ...years }), own)],
  ] as const) {
    assert.throws(run, { code: 'presentation_request.client' }, what)
  }
})
