/** How a refusal is shown to each family of callers. */
export type FaultRow = {
  /** HTTP status and code in the API envelope. */
  readonly api: readonly [status: number, code: string]
  /** HTTP status and code for wallets and OAuth clients; 400 `invalid_request` by default. */
  readonly oauth?: readonly [status: number, error: string]
  /** The `scimType` for provisioning clients; their status is that of `api`. @see [RFC 7644, 3.12](https://www.rfc-editor.org/rfc/rfc7644#section-3.12) */
  readonly scim?: string
  readonly title: string
}
