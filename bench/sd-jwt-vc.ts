// What do issuing, receiving, presenting and verifying one SD-JWT VC of ten claims cost? Run: node bench/sd-jwt-vc.ts
import { cpus } from 'node:os'
import { generateKeyPair } from '../src/crypto/jwk.ts'
import { softwareKey } from '../src/crypto/signing-key.ts'
import { checkReceivedSdJwtVc } from '../src/protocols/sd-jwt-vc/check-sd-jwt-vc.ts'
import { issueSdJwtVc } from '../src/protocols/sd-jwt-vc/issue-sd-jwt-vc.ts'
import { presentSdJwt } from '../src/protocols/sd-jwt-vc/present-sd-jwt.ts'
import { processSdJwt } from '../src/protocols/sd-jwt-vc/process-sd-jwt.ts'
import { parseSdJwt } from '../src/protocols/sd-jwt-vc/sd-jwt.ts'
import { verifyPresentation } from '../src/protocols/sd-jwt-vc/verify-presentation.ts'

const issuer = generateKeyPair()
const holder = generateKeyPair()
const issuerKey = softwareKey(issuer.privateKey)
const holderKey = softwareKey(holder.privateKey)
const now = new Date()
const request = { nonce: 'n-0S6_WzA2Mj', aud: 'x509_san_dns:verifier.example' }
const draft = {
  claims: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`claim_${at}`, `value number ${at}`])),
  disclosure: {},
  vct: 'https://issuer.example/issuers/acme/vct/card',
  iss: 'did:web:issuer.example:issuers:acme',
  iat: now,
  exp: new Date(now.getTime() + 86_400_000),
  cnfJwk: holder.publicJwk,
  status: { status_list: { idx: 5, uri: 'https://issuer.example/issuers/acme/status/1' } },
  header: { kid: 'did:web:issuer.example:issuers:acme#1' },
}
const paths = [['claim_1'], ['claim_2'], ['claim_3']]
const issued = await issueSdJwtVc(draft, issuerKey)
const sdJwt = parseSdJwt(issued)
const presented = await presentSdJwt(sdJwt, paths, { ...request, iat: now, key: holderKey })
const policy = { issuerKey: issuer.publicJwk, now, keyBinding: 'required', ...request } as const

async function medianMicroseconds(run: () => unknown): Promise<string> {
  for (let i = 0; i < 1000; i++) await run()
  const rounds: number[] = []
  while (rounds.length < 9) {
    const from = process.hrtime.bigint()
    for (let i = 0; i < 500; i++) await run()
    rounds.push(Number(process.hrtime.bigint() - from) / 500 / 1000)
  }
  return (rounds.sort((a, b) => a - b)[4] ?? Number.NaN).toFixed(1)
}

console.log(`${cpus()[0]?.model}, Node ${process.version}; one credential of ten claims; medians in us`)
console.table({
  'one ES256 signature, for comparison': await medianMicroseconds(() => issuerKey.sign(Buffer.alloc(1200))),
  'issue (1 signature, 10 disclosures)': await medianMicroseconds(() => issueSdJwtVc(draft, issuerKey)),
  'put the disclosures back': await medianMicroseconds(() => processSdJwt(sdJwt)),
  'receive (parse, 1 verification)': await medianMicroseconds(() =>
    checkReceivedSdJwtVc(parseSdJwt(issued), { ...policy, holderKey: holder.publicJwk }),
  ),
  'present 3 claims (1 signature)': await medianMicroseconds(() =>
    presentSdJwt(sdJwt, paths, { ...request, iat: now, key: holderKey }),
  ),
  'verify a presentation (parse, 2 verifications)': await medianMicroseconds(() =>
    verifyPresentation(parseSdJwt(presented), policy),
  ),
})
