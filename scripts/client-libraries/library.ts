import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Asked } from './programs/lines.ts'

/** How a library is installed into a folder, and the program that drives it. */
export type Library = {
  readonly name: string
  /** Installs the library. @returns its version */
  readonly install: (folder: string) => string
  readonly command: (folder: string) => readonly [string, ...string[]]
}

/** What a program got: `lost` after the time limit, or when it ended. */
export type Got =
  | { readonly kind: 'ok'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed' | 'lost'; readonly why: string }

const programs = join(import.meta.dirname, 'programs')
const run = (command: string, ...parameters: string[]) => execFileSync(command, parameters, { encoding: 'utf8' }).trim()

function python(module: string): Library {
  const bin = (folder: string, name: string) => join(folder, 'python', 'bin', name)
  return {
    name: `Python ${module}`,
    install: (folder) => {
      if (!existsSync(bin(folder, 'python'))) run('python3', '-m', 'venv', join(folder, 'python'))
      run(bin(folder, 'pip'), 'install', '--quiet', '--disable-pip-version-check', module)
      return run(bin(folder, 'python'), '-c', `import ${module}; print(${module}.__version__)`)
    },
    command: (folder) => [bin(folder, 'python'), join(programs, `with-${module}.py`)],
  }
}

function java(name: string): Library {
  return {
    name: `Java ${name}`,
    install: () => run('java', '--version').split('\n')[0] ?? '',
    command: () => ['java', join(programs, 'with-java.java'), name],
  }
}

/** Every library of the table, in its order. */
export const libraries: readonly Library[] = [
  {
    name: 'Node fetch',
    install: () => `${process.version} (undici ${process.versions.undici})`,
    command: () => [process.execPath, join(programs, 'with-fetch.ts')],
  },
  {
    name: 'axios',
    install: (folder) => {
      const own = join(folder, 'axios')
      mkdirSync(own, { recursive: true })
      run('npm', 'install', '--silent', '--no-save', '--prefix', own, 'axios')
      return run(
        process.execPath,
        '-p',
        `require(${JSON.stringify(join(own, 'node_modules/axios/package.json'))}).version`,
      )
    },
    command: (folder) => [process.execPath, join(programs, 'with-axios.ts'), join(folder, 'axios')],
  },
  python('httpx'),
  python('requests'),
  {
    name: 'Go net/http',
    install: (folder) => {
      run('go', 'build', '-o', join(folder, 'with-net-http'), join(programs, 'with-net-http.go'))
      return run('go', 'env', 'GOVERSION')
    },
    command: (folder) => [join(folder, 'with-net-http')],
  },
  java('HttpURLConnection'),
  java('HttpClient'),
]

/** A running program. One request at a time. */
export class Program {
  readonly #command: readonly [string, ...string[]]
  #process: ChildProcess | null = null
  #lines: AsyncIterator<string> | null = null
  #reader: Interface | null = null

  constructor(command: readonly [string, ...string[]]) {
    this.#command = command
  }

  /** Sends a request by the library. Ends a program that does not answer in time; the next request starts it again. */
  async send(asked: Asked, limitMs: number): Promise<Got> {
    if (this.#process === null) this.#start()
    const headers = Object.entries(asked.headers).map(([name, value]) => `${name}: ${value}`)
    const line = [
      asked.method,
      asked.url,
      Buffer.from(headers.join('\n')).toString('base64'),
      asked.sends,
      asked.body.toString('base64'),
      asked.expects ? 'expect' : '',
    ].join('\t')
    this.#process?.stdin?.write(`${line}\n`)
    const limit = Promise.withResolvers<null>()
    const timer = setTimeout(() => limit.resolve(null), limitMs)
    const answer = await Promise.race([this.#lines?.next(), limit.promise])
    clearTimeout(timer)
    if (answer === null) return this.#lose(`no answer in ${limitMs} ms`)
    if (answer === undefined || answer.done) return this.#lose('the program ended')
    const [kind, what = '', body = ''] = answer.value.split('\t')
    if (kind !== 'ok') return { kind: 'failed', why: what }
    return { kind: 'ok', status: Number(what), body: Buffer.from(body, 'base64').toString() }
  }

  end(): void {
    this.#reader?.close()
    this.#process?.kill('SIGKILL')
    this.#process = null
  }

  #start(): void {
    const [command, ...parameters] = this.#command
    this.#process = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'] })
    if (this.#process.stdout === null) throw new Error('the program has no output')
    this.#reader = createInterface({ input: this.#process.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  #lose(why: string): Got {
    this.end()
    return { kind: 'lost', why }
  }
}
