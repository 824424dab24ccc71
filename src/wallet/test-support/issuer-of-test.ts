import { afterEach } from 'node:test'
import { type ForeignIssuer, foreignIssuer, type Options } from './foreign-issuer.ts'

/** Starts the issuer of a test, which is closed after it. */
export function issuerOfTest() {
  let issuer: ForeignIssuer | null = null
  afterEach(async () => {
    await issuer?.close()
    issuer = null
  })
  return {
    started: async (options: Options = {}): Promise<ForeignIssuer> => {
      issuer = await foreignIssuer(options)
      return issuer
    },
    /** Its Credential Issuer Identifier. */
    identifier: () => issuer?.issuer ?? '',
    callsTo: (place: string) => (issuer?.calls ?? []).filter((call) => call.place === place).length,
  }
}
