/** One way to say no, to both families of callers. */
export type Row = {
  /** HTTP status and code in the API envelope. */
  readonly api: readonly [status: number, code: string]
  /** HTTP status and code where the caller is a wallet or an OAuth client. */
  readonly oauth: readonly [status: number, error: string]
  readonly title: string
}
