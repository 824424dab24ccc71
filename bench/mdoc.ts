// What do issuing, receiving, presenting and verifying one mDL of 13 elements and 2 of another namespace cost?
// Run: node bench/mdoc.ts
import { generateKeyPairSync } from 'node:crypto'
import { cpus } from 'node:os'
import { generateKeyPair } from '../src/crypto/jwk.ts'
import { softwareKey } from '../src/crypto/signing-key.ts'
import { decodeCbor } from '../src/protocols/cbor/decode.ts'
import { buildDeviceResponse } from '../src/protocols/mdoc/build-device-response.ts'
import { parseDeviceResponse } from '../src/protocols/mdoc/device-response.ts'
import { toElements } from '../src/protocols/mdoc/element-type.ts'
import { issueMdoc } from '../src/protocols/mdoc/issue-mdoc.ts'
import { parseIssuerSigned } from '../src/protocols/mdoc/issuer-signed.ts'
import { mdl } from '../src/protocols/mdoc/mdl.ts'
import { redirectTranscript } from '../src/protocols/mdoc/session-transcript.ts'
import { verifyDeviceResponse } from '../src/protocols/mdoc/verify-device-response.ts'
import { checkReceivedMdoc } from '../src/protocols/mdoc/verify-issuer-signed.ts'
import { aDraft, certificate, deviceKey, licence, licenceRules, noon, signer, signerKey } from '../test/support/mdoc.ts'

const encryptionKey = generateKeyPair().publicJwk
const request = { clientId: 'x509_hash:abc', nonce: 'n-1', encryptionKey, responseUri: 'https://v.example/r' }
const sessionTranscript = redirectTranscript(request)
const draft = aDraft()
const issued = await issueMdoc(draft, signer)
const paths = ['family_name', 'birth_date', 'age_over_18'].map((element) => [mdl.nameSpace, element])
const presentation = { paths, sessionTranscript, deviceKey }
const response = await buildDeviceResponse(issued, presentation)
const agreed = { certificate, now: noon, docType: mdl.docType, holderKey: deviceKey.publicJwk }
const ed25519 = softwareKey(generateKeyPairSync('ed25519').privateKey)

async function medianMicroseconds(run: () => unknown): Promise<string> {
  for (let i = 0; i < 1000; i++) await run()
  const rounds: number[] = []
  while (rounds.length < 9) {
    const from = process.cpuUsage()
    for (let i = 0; i < 300; i++) await run()
    const { user, system } = process.cpuUsage(from)
    rounds.push((user + system) / 300)
  }
  return (rounds.sort((a, b) => a - b)[4] ?? Number.NaN).toFixed(1)
}

console.log(
  `${cpus()[0]?.model}, Node ${process.version}; ${issued.length} bytes issued, ${response.length} shown; medians of CPU in us`,
)
console.table({
  'one ES256 signature, for comparison': await medianMicroseconds(() => signerKey.sign(Buffer.alloc(1200))),
  'decode the response': await medianMicroseconds(() => decodeCbor(response)),
  'values by their types': await medianMicroseconds(() => toElements(licenceRules, licence)),
  'issue (1 signature, 15 elements)': await medianMicroseconds(() => issueMdoc(draft, signer)),
  'issue with Ed25519': await medianMicroseconds(() => issueMdoc(draft, { ...signer, key: ed25519 })),
  'receive (parse, 1 verification, 15 digests)': await medianMicroseconds(() =>
    checkReceivedMdoc(parseIssuerSigned(issued), agreed),
  ),
  'present 3 elements (1 signature)': await medianMicroseconds(() => buildDeviceResponse(issued, presentation)),
  'verify a presentation (parse, 2 verifications)': await medianMicroseconds(() =>
    verifyDeviceResponse(parseDeviceResponse(response), { ...agreed, sessionTranscript }),
  ),
})
