type TimeLimit = { readonly ms: number; readonly description: string }

/** How long a request and its answer may take on a connection from the network. Printed into `docs/limits.md`. */
export const timeLimits = {
  'http.header': { ms: 10_000, description: 'The header of a request arrives.' },
  'http.request': { ms: 30_000, description: 'A request arrives, its body included.' },
  'http.answer': {
    ms: 120_000,
    description:
      'From the header of a request to the end of its answer. Of it, a request that waits for a change ' +
      '(`Prefer: wait`) waits at most 30 s.',
  },
  'http.streamed_answer': {
    ms: 600_000,
    description:
      'The same where the answer is streamed: an export, or events (an event stream ends after 5 minutes, and ' +
      'its client reconnects).',
  },
  'http.unread_answer': { ms: 30_000, description: 'A client reads no byte of an answer that is being sent.' },
  'http.idle_connection': { ms: 65_000, description: 'A connection without a request is kept open for the next one.' },
  'http.unfinished_at_stop': {
    ms: 5_000,
    description: 'The rest of a request arrives after the server has stopped to listen.',
  },
} as const satisfies Record<string, TimeLimit>

/** The limits by name; tests shorten them. */
export type TimeLimits = { readonly [K in keyof typeof timeLimits]: Pick<TimeLimit, 'ms'> }
