/** What a scenario found: a sentence for each promise that was not kept, and what it measured. */
export type Outcome = {
  readonly faults: readonly string[]
  readonly figures: Readonly<Record<string, number | string | readonly number[]>>
}

/** Options of the command line. */
export type Options = { readonly issuances: number; readonly minutes: number }
