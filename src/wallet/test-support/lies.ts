import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FaultCode } from '../../fault.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { fault } from './fault.ts'
import { type Ask, type ForeignIssuer, foreignIssuer, type Lies, type Options, type Reply } from './foreign-issuer.ts'
import type { Bench } from './wallet-platform.ts'

/** Changes members of a JSON answer. */
export const says = (change: object) => (reply: Reply) => ({ ...reply, body: { ...Object(reply.body), ...change } })
/** Refuses a request without this header. @param instead Changes of the answer to others. */
export const refusedWithout =
  (header: string, error: string, instead: Partial<Reply> = {}) =>
  (reply: Reply, ask: Ask) =>
    ask.headers[header] === undefined
      ? { status: 401, type: 'application/json', body: { error } }
      : { ...reply, ...instead }
/** Changes the answer itself. */
export const sends = (change: Partial<Reply>) => (reply: Reply) => ({ ...reply, ...change })
/** Changes members of the one credential configuration. */
export const describes = (change: object) => (reply: Reply) => {
  const { credential_configurations_supported: known } = Object(reply.body)
  return says({ credential_configurations_supported: { membership: { ...known.membership, ...change } } })(reply)
}
/** A key of another holder. */
export const stranger = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}
/** A self-signed certificate, whose subject calls itself a DID. */
export const someCertificate =
  'MIIBmTCCAT+gAwIBAgIUUS7zu9fa8vckrEH2riLyTMjbXvMwCgYIKoZIzj0EAwIwITEfMB0GA1UEAwwWZGlkOndlYjppc3N1ZXIuZXhhbXBsZTAgFw0yNjExMjAyMjQ5MTBa' +
  'GA8yMTI2MTAyNzIyNDkxMFowITEfMB0GA1UEAwwWZGlkOndlYjppc3N1ZXIuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDPPiuqpNwjv+hY9dJIrLuWa1kz0' +
  'Mz68M4vLawucewOVsPNpALrA30Ooad5ZhajZz6GlMqRppxAQhz5IpV7nbqijUzBRMB0GA1UdDgQWBBRxC7oQNnAsrs9YCCIxIRWvf1yK5zAfBgNVHSMEGDAWgBRxC7oQNnAs' +
  'rs9YCCIxIRWvf1yK5zAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCICbrQ0tYtBA4hLbCdX7KuloZ3UzC7/uieE+5fTt6KKnfAiEArrLf7tIc0rEAwP7WTEdi' +
  'CEau25USInuvWVSbwWBHpU8='
/** More than any answer may have. */
export const huge = 'x'.repeat(9 * 1024 * 1024)
/** A redirect. */
export const elsewhere = { status: 302, type: '', body: '', headers: { location: 'http://127.0.0.1:9/' } }
/** A disclosure. */
export const disclosed = (value: unknown[]) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** One lie, the code that it is refused with, and what stands in its findings. */
export type Lie = readonly [
  what: string,
  code: FaultCode,
  lies: Lies,
  more?: Options & { change?: Record<string, unknown>; finding?: string },
]

/**
 * A test for each lie: it is refused with its code, and nothing is kept. `spends`: whether the code was spent before it
 * came out.
 */
export function testLies(rows: readonly Lie[], spends: boolean, bench: () => Bench): void {
  for (const [what, code, lies, { change, finding, ...options } = {}] of rows) {
    test(`an issuer ${what} is refused with ${code}, and nothing is kept`, async () => {
      const issuer = await foreignIssuer(options)
      try {
        issuer.lie(lies)
        await refusedBy(bench(), issuer, { code, change, finding, spends })
      } finally {
        await issuer.close()
      }
    })
  }
}

const tables = [
  'wallet_credential',
  'wallet_credential_copy',
  'wallet_notification',
  'wallet_deferred',
  'job',
  'audit_entry',
]
type Expected = {
  code: FaultCode
  change: Record<string, unknown> | undefined
  finding: string | undefined
  spends: boolean
}

async function refusedBy(
  bench: Bench,
  issuer: ForeignIssuer,
  { code, change, finding, spends }: Expected,
): Promise<void> {
  const thandi = await bench.person()
  const kept = () => Promise.all(tables.map((table) => bench.rows(thandi.tenantId, table)))
  const before = await kept()
  const credentialOffer = change === undefined ? issuer.offerUri : JSON.stringify(issuer.offer(change))
  const refused = await fault(acceptOffer(bench.platform, thandi, { credentialOffer }))
  assert.equal(refused.code, code, `${refused.detail} ${JSON.stringify(refused.meta)}`)
  const findings = (refused.meta?.findings ?? []) as { code: string }[]
  if (finding !== undefined)
    assert.ok(
      findings.some((one) => one.code === finding),
      JSON.stringify(findings),
    )
  const places = issuer.calls.map(({ place }) => place)
  assert.equal(places.includes('token'), spends)
  assert.deepEqual(await kept(), before)
  if (code !== 'credential.invalid') return
  // [W-R9] the issuer hears that its credential was not taken
  const [news] = issuer.calls.filter(({ place }) => place === 'notification')
  assert.deepEqual(JSON.parse(news?.body ?? ''), { notification_id: 'news-1', event: 'credential_failure' })
}
