import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from '../test/support/source.ts'
import { printWholeOpenApi } from './print-openapi.ts'

/**
 * Makes clients from the OpenAPI document with the generators that are used most, and compiles them with a program that
 * uses them: `npm run test:generators [FOLDER]`. A refused operation, a warning and an error of types are failures.
 * The generators are installed for the run; FOLDER keeps them for the next one. What is not there is named.
 */
const typescript = 'typescript@5.9.3'
const packages = [typescript, 'openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', '@hey-api/openapi-ts@0.99.0']
const pythonPackages = ['openapi-python-client==0.29.1', 'mypy==2.4.1']

const [given] = process.argv.slice(2)
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'chirograph-generators-')) : resolve(given)
const work = join(folder, 'work')
const document = join(work, 'openapi.json')
const problems: string[] = []

try {
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const text = printWholeOpenApi()
  writeFileSync(document, text)
  cpSync(join(root, 'scripts/generators/programs'), work, { recursive: true })
  const operations = operationsIn(text)
  console.log(`the document has ${operations} operations`)
  tryTypeScript(operations)
  tryPython(operations)
  for (const problem of problems) console.log(`FAILED: ${problem}`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(given === undefined ? folder : work, { recursive: true, force: true })
}

function operationsIn(text: string): number {
  const { paths }: { paths: Record<string, object> } = JSON.parse(text)
  return Object.values(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0)
}

/** Makes and compiles both clients in TypeScript. */
function tryTypeScript(operations: number): void {
  const install = run('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', ...packages])
  if (install.status !== 0) {
    leaveOut(packages)
    return
  }
  const bin = (name: string) => join(folder, 'node_modules/.bin', name)
  const types = join(work, 'openapi-typescript.d.ts')
  judge('openapi-typescript', run(bin('openapi-typescript'), [document, '-o', types]), operations, () => {
    // Webhooks are operations here too.
    const [block = ''] = /^export interface operations \{$[\s\S]*?^\}$/m.exec(readFileSync(types, 'utf8')) ?? []
    return [...block.matchAll(/^ {4}\w+: \{$/gm)].length - 1
  })
  const made = run(bin('openapi-ts'), ['-i', document, '-o', join(work, 'hey'), '--no-log-file'])
  judge('@hey-api/openapi-ts', made, operations, () => {
    return [...readFileSync(join(work, 'hey/sdk.gen.ts'), 'utf8').matchAll(/^export const /gm)].length
  })
  const target = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--module', 'esnext']
  const settings = ['--noEmit', '--strict', '--moduleResolution', 'bundler', '--allowImportingTsExtensions']
  const programs = [join(work, 'fetch.ts'), join(work, 'hey.ts')]
  const compiled = run(bin('tsc'), [...target, ...settings, ...programs])
  if (compiled.status !== 0) problems.push(`the clients in TypeScript do not compile\n${compiled.output}`)
}

/** Makes the client in Python, checks its types and runs the program. */
function tryPython(operations: number): void {
  const bin = (name: string) => join(folder, 'python/bin', name)
  const isInstalled =
    run('python3', ['-m', 'venv', join(folder, 'python')]).status === 0 &&
    run(bin('python'), ['-m', 'pip', 'install', '-q', ...pythonPackages]).status === 0
  if (!isInstalled) {
    leaveOut(pythonPackages)
    return
  }
  const settings = ['--meta', 'none', '--config', join(root, 'scripts/generators/python-client.yaml')]
  const client = join(work, 'chirograph_client')
  const made = run(bin('openapi-python-client'), ['generate', '--path', document, '--output-path', client, ...settings])
  judge('openapi-python-client', made, operations, () => {
    return globSync(join(client, 'api/*/*.py')).filter((path) => !path.endsWith('__init__.py')).length
  })
  const checked = run(bin('mypy'), ['chirograph_client', 'program.py'], work)
  if (checked.status !== 0) problems.push(`the types of the client in Python are wrong\n${checked.output}`)
  const ran = run(bin('python'), ['program.py'], work)
  if (ran.status !== 0) problems.push(`the program in Python does not run\n${ran.output}`)
}

type Run = { readonly status: number | null; readonly output: string }

/** Compares what a generator made with the document. @param count Counts its operations. */
function judge(name: string, { status, output }: Run, operations: number, count: () => number): void {
  const warnings = output.match(/warn/gi)?.length ?? 0
  const made = status === 0 ? count() : 0
  console.log(`${name}: ${made} operations, ${operations - made} refused, ${warnings} warnings`)
  if (made !== operations || warnings > 0) problems.push(`${name} does not make the document\n${output}`)
}

function run(program: string, args: readonly string[], cwd = folder): Run {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

function leaveOut(names: readonly string[]): void {
  console.log(`LEFT OUT: ${names.join(', ')} could not be installed`)
}
