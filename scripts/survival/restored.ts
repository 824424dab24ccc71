import type { Options, Outcome } from './outcome.ts'
export const restored = async (_: Options): Promise<Outcome> => ({ faults: [], figures: {} })
