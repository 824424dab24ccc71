import fc from 'fast-check'
import { seed } from './seed.ts'

// A property that fails prints the seed and the path to its counterexample.
fc.configureGlobal({ seed })

export { fc }
