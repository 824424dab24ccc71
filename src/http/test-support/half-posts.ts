import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Connections that begin at a time, so that the queue of the listening socket takes them. */
const PIECE = 100
const LINES = ['POST /creds/things HTTP/1.1', 'host: x', 'content-type: application/json', 'content-length: 200']
const REQUEST = `${LINES.join('\r\n')}\r\n\r\n{"name":"half"`

/**
 * Begins POSTs without a token from one address and finishes none of them. It is the program of a process of its own,
 * since one process has too few descriptors for both ends. Prints a line when all have begun, and at the end of its
 * input how many connections are open and how many were answered or closed.
 */
async function run(port: number, localAddress: string, count: number): Promise<void> {
  const counts = { open: 0, refused: 0, unanswered: 0 }
  for (let begun = 0; begun < count; begun += 1) {
    const socket = connect({ host: '127.0.0.1', port, localAddress }, () => socket.write(REQUEST))
    let isAnswered = false
    counts.open += 1
    socket.once('data', () => {
      isAnswered = true
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      counts.open -= 1
      counts[isAnswered ? 'refused' : 'unanswered'] += 1
    })
    if (begun % PIECE === 0) await pause(10)
  }
  process.stdout.write('all begun\n')
  process.stdin.resume().once('end', () => {
    process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit())
  })
}

const [port, localAddress, count] = process.argv.slice(2)
if (port !== undefined && localAddress !== undefined) await run(Number(port), localAddress, Number(count))
