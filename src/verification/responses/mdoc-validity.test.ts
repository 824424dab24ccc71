// Driving licences whose validity ends after that of their signer certificate, and their age attestations.
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
  'keyUsage = critical, digitalSignature',
  'subjectKeyIdentifier = hash',
  'authorityKeyIdentifier = keyid',
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

/** Asks a holder for a licence of trusted authorities. */
async function asked(more: object) {
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
  return { ...request, responseUri: String(request.object.response_uri) }
}

/** The result of a presentation of these elements. */
async function resultOf(request: Awaited<ReturnType<typeof asked>>, document: string, elements: readonly string[]) {
  const shown = await presentWithOwf(document, request, elements)
  assert.equal((await request.answer({ c0: [shown.toString('base64url')] })).status, 200)
  return request.result()
}

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
    const document = await anOwfDocument({ signer, validUntil: new Date('2050-02-01') })
    const { status: found, credentials } = await resultOf(await asked(more), document, ['family_name', 'birth_date'])
    const codes = credentials[0].issues.map((one: { code: string }) => one.code)
    assert.deepEqual([found, credentials[0].isValid, codes], [status, status === 'verified', [code]])
  })
}

for (const [age, value, presented, status] of [
  [18, true, 'age_over_21', 'verified'],
  [67, false, 'age_over_65', 'verified'],
  [18, true, 'age_over_65', 'failed'],
  [67, true, 'age_over_65', 'failed'],
] as const) {
  test(`${presented} as the answer to age_over_${age} with the value ${value} is ${status} (7.2.5)`, async () => {
    const properties = { [`age_over_${age}`]: { intentToRetain: false, values: [value] } }
    const request = await asked({ attributes: { [licence.nameSpace]: { properties } } })
    const attested = { age_over_21: true, age_over_65: false }
    const document = await anOwfDocument({ signer, more: attested })
    const result = await resultOf(request, document, [presented])
    assert.equal(result.status, status)
    const attributes = { [licence.nameSpace]: { [presented]: attested[presented] } }
    assert.deepEqual(result.credentials[0].attributes, status === 'verified' ? attributes : {})
  })
}
