import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A mail server that takes what it is given, or refuses. */
export type MailServer = {
  readonly url: string
  /** Recipients and raw messages, in the order of their arrival. */
  readonly mails: { readonly to: string; readonly from: string; readonly raw: string }[]
  /** Refuses the next recipients, with their address in the answer. */
  refuses: boolean
  /** Takes connections, and says nothing on them. */
  isSilent: boolean
  readonly close: () => Promise<void>
}

/**
 * Starts a mail server on a port of its own.
 *
 * @see RFC 5321, as far as a client needs it that sends one mail after the other
 */
export async function aMailServer(): Promise<MailServer> {
  const server = createServer((socket) => {
    let [from, to, raw, inData] = ['', '', '', false]
    let rest = ''
    const say = (line: string) => socket.write(`${line}\r\n`)
    const onLine = (line: string) => {
      if (inData && line !== '.') {
        raw += `${line}\n`
        return
      }
      if (inData) {
        inData = false
        running.mails.push({ from, to, raw })
        raw = ''
        return say('250 taken')
      }
      if (/^EHLO/i.test(line)) return say('250 test')
      if (/^STARTTLS/i.test(line)) return say('502 no encryption here')
      if (/^MAIL FROM/i.test(line)) from = line.slice(10)
      if (/^RCPT TO/i.test(line)) {
        to = line.slice(8)
        if (running.refuses) return say(`550 no mailbox ${to}`)
      }
      if (/^DATA/i.test(line)) {
        inData = true
        return say('354 go')
      }
      if (/^QUIT/i.test(line)) return socket.end('221 bye\r\n')
      return say('250 ok')
    }
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      const lines = (rest + bytes.toString()).split('\r\n')
      rest = lines.pop() ?? ''
      lines.forEach(onLine)
    })
    if (!running.isSilent) say('220 test')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const running: MailServer = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails: [],
    refuses: false,
    isSilent: false,
    close: async () => {
      server.close()
      await once(server, 'close')
    },
  }
  return running
}

/** Returns the text of a raw message of one part, with the encoding of its lines undone. */
export function textOf(raw: string): string {
  const body = raw.slice(raw.indexOf('\n\n')).replaceAll('=\n', '')
  const isBase64 = /^Content-Transfer-Encoding: base64$/im.test(raw)
  if (isBase64) return Buffer.from(body, 'base64').toString()
  const bytes = body.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
