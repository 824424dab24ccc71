import { authorizationFaults } from './fault/authorization-faults.ts'
import { certificateFaults } from './fault/certificate-faults.ts'
import { protocolFaults } from './fault/protocol-faults.ts'
import { requestFaults } from './fault/request-faults.ts'
import type { FaultRow } from './fault/row.ts'
import type { Rule } from './fault/rules.ts'
import { scimFaults } from './fault/scim-faults.ts'

const rows = { ...requestFaults, ...scimFaults, ...authorizationFaults, ...protocolFaults, ...certificateFaults }

/** A stable code of {@link faults}. */
export type FaultCode = keyof typeof rows

/** Every refusal. A stable code names the thing and what is wrong with it; one row serves both families of callers. */
export const faults = Object.fromEntries(
  Object.entries<FaultRow>(rows).map(([code, row]) => [code, { oauth: [400, 'invalid_request'], ...row }]),
  // One row for each code, as above.
) as Readonly<Record<FaultCode, Required<FaultRow>>>

/**
 * One thing that is wrong with a request: `pointer` is RFC 6901 into the body, `parameter` names a query or path
 * member.
 */
export type Violation = {
  readonly detail: string
  readonly pointer?: string
  readonly parameter?: string
  readonly rule?: Rule
  /** What the rule allows: a number, a type or format, the allowed values. */
  readonly limit?: number | string | readonly string[]
}

type FaultContext = {
  /** Shown to the caller: what happened and what to do. Never a token, code, claim or key. */
  readonly detail?: string | undefined
  readonly violations?: readonly Violation[] | undefined
  /** Shown to the caller, machine-readable. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined
  /** Shown to the caller: where to continue. */
  readonly links?: Readonly<Record<string, string>> | undefined
  /**
   * Something was done for good, such as a code that was tried: the same repeatable request gets this refusal again,
   * instead of being tried again.
   */
  readonly isFinal?: boolean | undefined
  /** Only logged. */
  readonly notes?: string | undefined
  readonly cause?: unknown
}

/** A refusal. Any other error that is thrown is a defect and is shown as `server.unexpected` only. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly code: FaultCode
  readonly detail: string | undefined
  readonly violations: readonly Violation[] | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  readonly links: Readonly<Record<string, string>> | undefined
  readonly isFinal: boolean
  readonly notes: string | undefined

  constructor(code: FaultCode, context: FaultContext = {}) {
    super(context.detail ?? faults[code].title, context.cause === undefined ? undefined : { cause: context.cause })
    this.code = code
    this.detail = context.detail
    this.violations = context.violations
    this.meta = context.meta
    this.links = context.links
    this.isFinal = context.isFinal === true
    this.notes = context.notes
  }
}

/** Returns a function that makes faults of one code. `detail` is shown, `cause` only logged. */
export function faultOf(code: FaultCode): (detail: string, cause?: unknown) => Fault {
  return (detail, cause) => new Fault(code, { detail, cause })
}
