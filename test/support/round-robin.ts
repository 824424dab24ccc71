import { createServer, request } from 'node:http'

/** A reverse proxy that sends each request to the next of several servers, whichever client it is from. */
export type RoundRobin = { readonly close: () => Promise<void> }

/** Starts the front on `port`; `targets` are ports on loopback. */
export async function roundRobin(port: number, targets: readonly number[]): Promise<RoundRobin> {
  let turn = 0
  const front = createServer((incoming, outgoing) => {
    const target = targets[turn++ % targets.length]
    const { method, url, headers } = incoming
    const onward = request({ host: '127.0.0.1', port: target, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      // what the target does not want to read any more is read here, or its answer is lost on the way back
      answer.once('end', () => incoming.unpipe(onward).resume())
    })
    // a target that has answered need not read the rest of what it refused
    onward.on('error', () => outgoing.headersSent || outgoing.destroy())
    // as a real proxy does, it closes the connection to the target when the client is gone
    outgoing.once('close', () => outgoing.writableFinished || onward.destroy())
    incoming.pipe(onward)
  })
  // It ends no connection that is idle: a client that is slow would send its next request into the end of it.
  front.keepAliveTimeout = 0
  await new Promise<void>((resolve) => front.listen(port, '127.0.0.1', resolve))
  return {
    close: () =>
      new Promise((resolve) => {
        front.close(() => resolve())
        front.closeAllConnections()
      }),
  }
}
