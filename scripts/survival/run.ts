import { parseArgs } from 'node:util'
import { killed, rolling, silent } from './lost-machine.ts'
import type { Options, Outcome } from './outcome.ts'
import { restored, restoredCluster } from './restored.ts'
import { retention } from './retention.ts'
import { soak } from './soak.ts'

/**
 * `npm run survive [-- NAME ...] [--issuances N] [--minutes N]`: the first four without a name. Prints what it
 * measured; exits with 1 if something was lost, or took longer than it may.
 */
const scenarios: Readonly<Record<string, (options: Options) => Promise<Outcome>>> = {
  killed,
  silent,
  rolling,
  restored,
  'restored-cluster': restoredCluster,
  retention,
  soak,
}
const USUAL = ['killed', 'silent', 'rolling', 'restored']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { issuances: { type: 'string', default: '1000000' }, minutes: { type: 'string', default: '60' } },
})
const options: Options = { issuances: Number(values.issuances), minutes: Number(values.minutes) }
if (!(options.issuances >= 1000 && options.minutes > 0))
  throw new Error('--issuances is at least 1000, --minutes above 0')
const names = positionals.length === 0 ? USUAL : positionals
let isFaulty = false
for (const name of names) {
  const play = scenarios[name]
  if (play === undefined) throw new Error(`${name} is none of ${Object.keys(scenarios).join(', ')}`)
  const { faults, figures } = await play(options)
  isFaulty ||= faults.length > 0
  console.log(JSON.stringify({ scenario: name, ...figures, faults }, null, 2))
}
process.exitCode = isFaulty ? 1 : 0
