type Step = { readonly clause: string; readonly run: (state: object) => unknown }

/**
 * The steps of an endpoint, in the order in which they run. Each adds what it found to the state of the request, or
 * throws the refusal.
 */
type Steps<In extends object, Out extends object> = {
  /** What each step enforces, and where it is demanded. */
  readonly clauses: readonly string[]
  /** Returns the list with one more step. */
  readonly step: <More extends object>(
    clause: string,
    run: (state: Out) => More | Promise<More>,
  ) => Steps<In, Out & More>
  readonly run: (state: In) => Promise<Out>
}

/** Returns an empty list of steps for requests of type `State`. */
export function steps<State extends object>(): Steps<State, State> {
  return listOf<State, State>([])
}

function listOf<In extends object, Out extends object>(list: readonly Step[]): Steps<In, Out> {
  return {
    clauses: list.map(({ clause }) => clause),
    // Each step runs on what the steps before it returned, as the type of its parameter says.
    step: (clause, run) => listOf([...list, { clause, run: run as Step['run'] }]),
    run: async (state) => {
      let current: object = state
      for (const { run } of list) current = { ...current, ...((await run(current)) as object) }
      return current as Out
    },
  }
}
