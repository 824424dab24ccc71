/** How a refusal is shown to each family of callers. */
export type Row = {
  /** HTTP status and code in the API envelope. */
  readonly api: readonly [status: number, code: string]
  /** HTTP status and code for wallets and OAuth clients; 400 `invalid_request` by default. */
  readonly oauth?: readonly [status: number, error: string]
  readonly title: string
}
