import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { randomId } from '../../crypto/random.ts'
import { Fault, type FaultCode } from '../../fault.ts'
import type { Log } from '../../platform.ts'
import { toErrors } from '../routes/faults.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { commonHeaders, JSON_CSP } from './response-headers.ts'

/** Faults of requests that Node could not parse, by its error codes. */
const codes: Readonly<Record<string, FaultCode>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
}

/** `refused`: gets the connections that are answered here, whose requests have their log line then. */
type Parts = {
  readonly log: Log
  readonly metrics: Metrics
  readonly hsts: boolean
  readonly refused: WeakSet<Duplex>
}

/** `reason`: what the parser says of it, in its own words. */
type HttpError = Error & { readonly code?: string; readonly reason?: string }

function faultOf({ code = '', reason }: HttpError): Fault {
  const known = codes[code]
  if (known !== undefined) return new Fault(known)
  return new Fault(
    'request.broken',
    reason === undefined ? {} : { detail: `The request is not valid HTTP: ${reason}.` },
  )
}

/**
 * Answers requests that are not valid HTTP: with the error envelope, a log line and a metric, and closes the
 * connection. No response to an earlier request may be on its way there.
 */
export function brokenRequestHandler({ log, metrics, hsts, refused }: Parts) {
  return (error: HttpError, socket: Duplex): void => {
    // A reset connection has no reader.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    refused.add(socket)
    const fault = error instanceof Fault ? error : faultOf(error)
    const requestId = randomId()
    const { status, body, headers } = toErrors(fault, requestId)
    const text = JSON.stringify(body)
    const head = {
      ...commonHeaders(requestId, hsts),
      ...headers,
      'content-security-policy': JSON_CSP,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      'cache-control': 'no-store',
      connection: 'close',
    }
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`)
    metrics.count('(none)', '(none)', status, 0)
    log.info({ status, requestId, fault: fault.code, route: '(none)' }, 'request')
  }
}
