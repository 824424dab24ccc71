import { certificateFaults } from './fault/certificate-faults.ts'
import { protocolFaults } from './fault/protocol-faults.ts'
import { requestFaults } from './fault/request-faults.ts'
import type { Row } from './fault/row.ts'

/** Every way to say no. Stable code = the thing and what is wrong with it; one row answers both families of callers. */
export const faults = {
  ...requestFaults,
  ...protocolFaults,
  ...certificateFaults,
} as const satisfies Record<string, Row>

/** A stable code of {@link faults}. */
export type FaultCode = keyof typeof faults

/** One thing that is wrong with a request: `pointer` is RFC 6901 into the body, `parameter` names a query or path member. */
export type Violation = { readonly detail: string; readonly pointer?: string; readonly parameter?: string }

type More = {
  /** Shown to the caller: what happened and what to do. Never a token, code, claim or key. */
  readonly detail?: string
  readonly violations?: readonly Violation[]
  /** Shown to the caller, machine-readable. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** Shown to the caller: where it goes on. */
  readonly links?: Readonly<Record<string, string>>
  /** Only logged. */
  readonly notes?: string
  readonly cause?: unknown
}

/** A refusal. Whatever is thrown and is no Fault is a defect of ours and is shown as `server.unexpected` only. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly code: FaultCode
  readonly detail: string | undefined
  readonly violations: readonly Violation[] | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  readonly links: Readonly<Record<string, string>> | undefined
  readonly notes: string | undefined

  constructor(code: FaultCode, more: More = {}) {
    super(more.detail ?? faults[code].title, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.detail = more.detail
    this.violations = more.violations
    this.meta = more.meta
    this.links = more.links
    this.notes = more.notes
  }
}
