// An mdoc whose validity ends after that of its signer certificate.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { Fault } from '../../fault.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { anOwfDocument, licence, presentWithOwf, requestedElements } from '../test-support/mdoc-holder.ts'
import { aRequest } from '../test-support/presentation-request.ts'
import { callerOf, startVerifier, type Verifier } from '../test-support/verifier.ts'

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const root = tool.make({ subject: '/C=ZA/CN=IACA', extensions: rootExtensions, ...years })
const extensions = [
  ...['keyUsage = critical, digitalSignature', 'subjectKeyIdentifier = hash', 'authorityKeyIdentifier = keyid'],
  'extendedKeyUsage = critical, 1.0.18013.5.1.2',
]
const signer = tool.make({ subject: '/C=ZA/CN=Signer', extensions, issuer: root, ...years })

let verifier: Verifier
before(async () => {
  verifier = await startVerifier(async () => {
    throw new Fault('upstream.unreachable')
  })
})
after(async () => {
  await verifier.close()
  tool.remove()
})

for (const [what, more, status, code] of [
  ['is verified with a warning', {}, 'verified', 'validity.certificate'],
  [
    'is verified with a warning if strictValidity is false',
    { strictValidity: false },
    'verified',
    'validity.certificate',
  ],
  ['is refused if strictValidity is true', { strictValidity: true }, 'failed', 'validity.strict'],
] as const) {
  test(`a licence that outlives its signer certificate ${what}`, async () => {
    const backend = await verifier.aTenant()
    const entity = { name: 'Roads', certificates: [root.pem], purposes: ['issuer' as const] }
    const { id } = await createTrustedEntity(verifier.platform, callerOf(backend), entity)
    const credential = {
      type: licence.docType,
      attributes: requestedElements,
      issuers: [],
      trustedIssuers: [id],
      ...more,
    }
    const request = await aRequest(verifier, { backend, credential })
    const document = await anOwfDocument({ signer, validUntil: new Date('2050-02-01') })
    const responseUri = String(request.object.response_uri)
    const shown = await presentWithOwf(document, { ...request, responseUri }, ['family_name', 'birth_date'])
    assert.equal((await request.answer({ c0: [shown.toString('base64url')] })).status, 200)
    const { status: found, credentials } = await request.result()
    const codes = credentials[0].issues.map((one: { code: string }) => one.code)
    assert.deepEqual([found, credentials[0].isValid, codes], [status, status === 'verified', [code]])
  })
}
