import type { JsonObject } from '../../crypto/json.ts'
import { Fault, type Violation } from '../../fault.ts'
import { encodeTransaction, transactionLimits } from '../../protocols/openid4vp/transactions.ts'
import type { PresentationTemplate } from './presentation-template.ts'
import { credentialPosition, queryIdOf } from './template-query.ts'

/**
 * One transaction of a request. `credentials`: names or positions of the template's credentials, one of which
 * authorizes it; by default all.
 */
type TransactionInput = {
  readonly type: string
  readonly credentials?: readonly (string | number)[]
  readonly content?: Readonly<Record<string, unknown>>
}

const reserved = ['type', 'credential_ids', 'transaction_data_hashes_alg'] as const

/**
 * Encodes the transactions of a request made from a template, as they go over the wire.
 *
 * @throws Fault `request.invalid`
 */
export function encodeTransactions(
  transactions: readonly TransactionInput[],
  { credentials }: Pick<PresentationTemplate, 'credentials'>,
): readonly string[] {
  const violations: Violation[] = []
  const encoded = transactions.map(({ type, credentials: named, content = {} }, i) => {
    const pointer = `/transactionData/${i}`
    const positions =
      named?.map((one) => credentialPosition(one, credentials)) ?? credentials.map((_, position) => position)
    for (const [j, position] of positions.entries()) {
      const credential = position === null ? undefined : credentials[position]
      const at = named === undefined ? pointer : `${pointer}/credentials/${j}`
      if (credential === undefined) violations.push(refused('must name a credential of the template', at))
      // [VP-T3], and OpenID4VP 1.0, 5.1: one presentation authorizes it
      else if (credential.requireCryptographicHolderBinding === false || credential.multiple === true)
        violations.push(refused('must name a credential with holder binding that is presented once', at))
    }
    for (const name of reserved)
      if (Object.hasOwn(content, name)) violations.push(refused('is set by the server', `${pointer}/content/${name}`))
    const credentialIds = positions.map((position) => queryIdOf(position ?? 0))
    // The body was parsed from JSON.
    const one = encodeTransaction({ type, credentialIds, content: content as JsonObject })
    if (one.length > transactionLimits.charsMax) violations.push(refused('is too large', `${pointer}/content`))
    return one
  })
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  return encoded
}

function refused(detail: string, pointer: string): Violation {
  return { detail: `An entry ${detail}.`, pointer }
}
