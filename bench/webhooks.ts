// How many webhooks a second does one process send to one endpoint that answers at once?
// Run: node scripts/with-postgres.ts node bench/webhooks.ts
// Argument: how many events, by default 5,000. All are recorded before the first message is sent.
import { cpus } from 'node:os'
import { anEndpoint, aTenant, openBench, recordEvent } from '../src/events/test-support/events-bench.ts'
import { aReceiver } from '../src/events/test-support/receiver.ts'
import { startDispatcher } from '../src/events/webhooks/dispatcher.ts'

const events = Number(process.argv[2] ?? 5000)
const bench = await openBench()
const receiver = await aReceiver()
const caller = await aTenant(bench)
await anEndpoint(bench, caller, receiver.url)
for (let n = 0; n < events; n += 1) await recordEvent(bench, caller)
const dispatcher = startDispatcher(bench.platform)
const begun = performance.now()
const cpuBefore = process.cpuUsage()
while (receiver.messages.length < events) await new Promise((done) => setTimeout(done, 20))
const seconds = (performance.now() - begun) / 1000
const { user, system } = process.cpuUsage(cpuBefore)
await dispatcher.stop()
await receiver.close()
await bench.close()
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, PostgreSQL`)
console.log(`${events} messages in ${seconds.toFixed(1)} s: ${Math.round(events / seconds)} a second to one endpoint`)
console.log(`CPU of sender and receiver: ${((user + system) / 1000 / events).toFixed(2)} ms a message`)
