import type { Json } from '../../crypto/json.ts'
import { parseJson } from '../../crypto/json.ts'
import { Fault, type FaultCode } from '../../fault.ts'
import type { OutboundAnswer, Platform } from '../../platform.ts'
import { readErrorResponse } from '../../protocols/openid4vci/token-response.ts'
import type { PeerPolicy } from '../../protocols/shape.ts'
import { isOutOfReach, isServerTrouble } from '../../trust/lookups/out-of-reach.ts'

/** What an outbound call needs of the platform. */
export type OutboundPeer = Pick<Platform, 'fetch' | 'config' | 'memory'>

/** [9.2] How much of an answer is read, in bytes. */
export const bytesMax = {
  offer: 64 * 1024,
  metadata: 512 * 1024,
  token: 64 * 1024,
  nonce: 16 * 1024,
  credentials: (copies: number) => Math.max(1024 * 1024, copies * 512 * 1024),
  requestObject: 256 * 1024,
  verifierAnswer: 64 * 1024,
  ignored: 16 * 1024,
} as const

/** Which issuers and verifiers may be named: https, and in development also http on a loopback host. */
export function peersOf({ config }: Pick<Platform, 'config'>): PeerPolicy {
  return { allowHttpLoopback: config.isDevelopment }
}

/** Whether a call went well. A redirect did not: none is followed where codes, tokens and requests travel. */
export function isOk({ status }: Pick<OutboundAnswer, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** The JSON of an answer, read strictly. @throws Fault `code` if it is none. */
export function jsonOf({ body }: Pick<OutboundAnswer, 'body'>, code: FaultCode): Json {
  try {
    return parseJson(body)
  } catch (cause) {
    throw new Fault(code, { detail: 'The answer is not well-formed JSON.', cause })
  }
}

/**
 * A refusal out of an answer that is no success. The other side's own code goes into `meta.upstream`, its texts cut and printable.
 *
 * @param code What it means if the other side blames the request (4xx) or redirects; trouble of its own (5xx, 429) is `upstream.answer`.
 */
export function upstreamRefusal(answer: OutboundAnswer, code: FaultCode, detail: string): Fault {
  const upstream = upstreamOf(answer)
  if (isServerTrouble(answer.status)) return new Fault('upstream.answer', { meta: { upstream } })
  return new Fault(code, { detail, meta: { upstream } })
}

/** What an answer says that is no success. */
type Upstream = { readonly status: number; readonly error?: string; readonly errorDescription?: string }

/** What `meta.upstream` tells of an answer that is no success. */
export function upstreamOf(answer: OutboundAnswer): Upstream {
  return { status: answer.status, ...oauthErrorOf(answer) }
}

/** Whether something that failed may go well another time: the other side is out of reach, or it is our own trouble. */
export function isTransientFault(error: unknown): boolean {
  return !(error instanceof Fault) || isOutOfReach(error)
}

/** The OAuth error code of an answer, or null. */
export function errorCodeOf(answer: OutboundAnswer): string | null {
  return oauthErrorOf(answer).error ?? null
}

function oauthErrorOf({ contentType, body }: OutboundAnswer): { error?: string; errorDescription?: string } {
  // error bodies are read only where the protocol defines them
  if (contentType !== 'application/json') return {}
  try {
    const found = readErrorResponse(parseJson(body))
    if (found === null) return {}
    const { error, description } = found
    return { error, ...(description === null ? {} : { errorDescription: description }) }
  } catch {
    return {}
  }
}
