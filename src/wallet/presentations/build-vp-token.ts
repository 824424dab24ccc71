import { Fault } from '../../fault.ts'
import type { Cbor } from '../../protocols/cbor/value.ts'
import { buildDeviceResponse } from '../../protocols/mdoc/build-device-response.ts'
import { redirectTranscript } from '../../protocols/mdoc/session-transcript.ts'
import type { VpToken } from '../../protocols/openid4vp/response.ts'
import {
  hashTransactions,
  TRANSACTION_HASHES,
  type TransactionData,
  transactionClaims,
} from '../../protocols/openid4vp/transactions.ts'
import { presentSdJwt } from '../../protocols/sd-jwt-vc/present-sd-jwt.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import type { openCopy } from '../credentials/sealed-copy.ts'
import type { CredentialChoice } from './presentable.ts'
import type { AnswerableRequest } from './presentation.ts'

/** An opened copy for one presentation. */
export type OpenCopy = Awaited<ReturnType<typeof openCopy>>

/** `copies`: by credential id. `transactions`: what each presentation authorizes, if anything. */
type Material = {
  readonly copies: ReadonlyMap<string, OpenCopy>
  readonly transactions: ReadonlyMap<CredentialChoice, readonly TransactionData[]>
}

/**
 * [DCQL-8] [VP-S1] Makes a presentation for each query id: minimal, and bound to this verifier and this request.
 *
 * @throws Fault `sd_jwt.unpresentable`, `mdoc.unpresentable`
 * @see [OpenID4VP 1.0, 8.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-response-parameters)
 */
export async function buildVpToken(
  choices: readonly CredentialChoice[],
  request: AnswerableRequest,
  { copies, transactions }: Material,
  now: Date,
): Promise<VpToken> {
  const token = new Map<string, string[]>()
  for (const choice of choices) {
    const { query, match } = choice
    const copy = copies.get(match.credential.id)
    const authorized = transactions.get(choice) ?? []
    const made =
      match.credential.format === 'mso_mdoc'
        ? await mdocOf(choice, request, copy, authorized)
        : await sdJwtOf(choice, request, copy, { authorized, now })
    token.set(query.id, [...(token.get(query.id) ?? []), made])
  }
  return token
}

async function sdJwtOf(
  { query, match }: CredentialChoice,
  { nonce, client, transactions, alwaysBound }: AnswerableRequest,
  copy: OpenCopy | undefined,
  { authorized, now }: { readonly authorized: readonly TransactionData[]; readonly now: Date },
): Promise<string> {
  if (copy === undefined || (query.holderBinding && copy.key === null)) throw new Fault('sd_jwt.unpresentable')
  // [VP-P1] the full client id, with its prefix
  const audience = { nonce, aud: client.full, iat: now }
  // [VP-T3]
  const claims = authorized.length === 0 ? {} : transactionClaims(hashTransactions(authorized, transactions.alg))
  const isBound = query.holderBinding || alwaysBound
  const binding = isBound && copy.key !== null ? { ...audience, claims, key: copy.key } : null
  return presentSdJwt(parseSdJwt(copy.raw), match.paths, binding)
}

/** Signed by the holder even where the query does not require holder binding: a DeviceResponse always is. */
async function mdocOf(
  { match }: CredentialChoice,
  { nonce, client, responseUri, recipient, transactions }: AnswerableRequest,
  copy: OpenCopy | undefined,
  authorized: readonly TransactionData[],
): Promise<string> {
  if (copy === undefined || copy.key === null) throw new Fault('mdoc.unpresentable')
  // [VP-H1]
  const encryptionKey = recipient?.jwk ?? null
  const sessionTranscript = redirectTranscript({ clientId: client.full, nonce, responseUri, encryptionKey })
  const { paths } = match
  // [VP-H4] one mdoc in each response
  const deviceElements = transactionElements(authorized, transactions.alg)
  const response = await buildDeviceResponse(copy.raw, {
    paths,
    sessionTranscript,
    deviceKey: copy.key,
    deviceElements,
  })
  return response.toString('base64url')
}

/** [VP-T5] The elements that the device signs: in the namespace of each type the members of the SD-JWT profile. */
function transactionElements(authorized: readonly TransactionData[], alg: string | null) {
  return new Map(
    [...Map.groupBy(authorized, ({ type }) => type)].map(([type, entries]) => {
      const { hashes } = hashTransactions(entries, alg)
      const named = alg === null ? [] : [[`${TRANSACTION_HASHES}_alg`, alg] as const]
      return [type, new Map<string, Cbor>([[TRANSACTION_HASHES, hashes], ...named])] as const
    }),
  )
}
