import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'

/**
 * Builds the npm packages into a new folder: `npm run package [FOLDER]`, `build` by default; there the server is
 * `chirograph`, and what only some deployments install has the name of its folder in `packages`. They are compiled,
 * since Node runs no TypeScript below `node_modules`, and have no tests. Their dependencies are pinned
 * (`npm-shrinkwrap.json`); those of the server have no install scripts.
 */
const [named] = process.argv.slice(2)
const folder = named ?? 'build'
const server = join(folder, 'chirograph')

// Removes files of an earlier build. A folder named on the command line is never deleted: it must not exist.
if (named === undefined) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
const optional = globSync('packages/*/package.json').sort().map(dirname)
buildServer()
buildOptional()

function buildServer(): void {
  compile('tsconfig.package.json', server)
  compile(
    'src/pages/browser',
    join(server, 'src/pages/browser'),
    '--noEmit',
    'false',
    '--rewriteRelativeImportExtensions',
  )
  const texts = ['docs', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE']
  for (const path of [...globSync('src/**/*.{sql,css,json}'), ...texts])
    cpSync(path, join(server, path), { recursive: true })
  const entry = readFileSync('bin/chirograph.js', 'utf8').replace('../src/cli.ts', '../src/cli.js')
  put(join(server, 'bin/chirograph.js'), entry)
  const { private: _, scripts, devDependencies, workspaces, ...rest } = readJson('package.json')
  const others = optional.map((path) => readJson(join(path, 'package.json')))
  finish(server, '', {
    ...rest,
    // The entry starts the pinned Node, so an older Node may run it.
    engines: { node: '>=20' },
    // One beside the server has its version.
    peerDependencies: Object.fromEntries(others.map(({ name, version }) => [name, version])),
    peerDependenciesMeta: Object.fromEntries(others.map(({ name }) => [name, { optional: true }])),
  })
}

function buildOptional(): void {
  const compiled = mkdtempSync(join(tmpdir(), 'chirograph-build-'))
  // They name types of the server, so its files are read, and left behind.
  compile('packages', compiled)
  for (const path of optional) {
    const target = join(folder, basename(path))
    cpSync(join(compiled, path, 'src'), join(target, 'src'), { recursive: true })
    cpSync('LICENSE', join(target, 'LICENSE'))
    const { private: _, exports, ...rest } = readJson(join(path, 'package.json'))
    finish(target, path, { ...rest, exports: String(exports).replace(/\.ts$/, '.js') })
  }
  rmSync(compiled, { recursive: true })
}

type Manifest = Dependencies & Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string }
type Dependencies = Readonly<Partial<Record<'dependencies' | 'optionalDependencies', Readonly<Record<string, string>>>>>

/** @param place Of the package in the lock file. */
function finish(target: string, place: string, manifest: Manifest): void {
  putJson(join(target, 'package.json'), manifest)
  putJson(join(target, 'npm-shrinkwrap.json'), shrinkwrapOf(place, manifest))
  // With the dot, since npm reads a bare word as the name of a package.
  const at = `./${relative('.', target)}`
  console.log(`${target} holds ${manifest.name} ${manifest.version}: npm pack ${at}, or npm publish ${at}`)
}

/**
 * Returns the part of the lock file that a package needs.
 *
 * @throws Error for a package with an install script, except koffi: its script builds what it brings
 */
function shrinkwrapOf(place: string, root: Manifest): object {
  const { lockfileVersion, packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const found = new Map<string, Dependencies & { readonly hasInstallScript?: boolean }>()
  const follow = (from: string, { dependencies, optionalDependencies: maybe }: Dependencies) => {
    for (const name of Object.keys({ ...dependencies, ...maybe })) {
      const path = placeOf(from, name, packages)
      if (path === null || found.has(path)) continue
      found.set(path, packages[path])
      follow(path, packages[path])
    }
  }
  follow(place, root)
  const scripted = [...found].filter(([, one]) => one.hasInstallScript === true).map(([path]) => path)
  const refused = scripted.filter((path) => path !== 'node_modules/koffi')
  if (refused.length > 0) throw new Error(`these packages have install scripts: ${refused.join(', ')}`)
  const { name, version } = root
  const sorted = [...found]
    .map(([path, one]) => [path.slice(path.indexOf('node_modules/')), one] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { name, version, lockfileVersion, requires: true, packages: { '': root, ...Object.fromEntries(sorted) } }
}

/** Returns the path in the lock file of the package that `from` resolves a name to. */
function placeOf(from: string, name: string, packages: Readonly<Record<string, unknown>>): string | null {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const path = `${place === '' ? '' : `${place}/`}node_modules/${name}`
    if (Object.hasOwn(packages, path)) return path
    if (place === '') return null
  }
}

function compile(project: string, outDir: string, ...options: readonly string[]): void {
  const { status } = spawnSync('tsc', ['--project', project, '--outDir', outDir, ...options], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the package could not be compiled')
}

function readJson(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function putJson(path: string, value: object): void {
  put(path, `${JSON.stringify(value, null, 2)}\n`)
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
