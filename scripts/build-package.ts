import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * Builds the npm package into a new folder: `npm run package [FOLDER]`, `build` by default. It is compiled, since Node
 * runs no TypeScript below `node_modules`, and has no tests. Its dependencies are pinned (`npm-shrinkwrap.json`) and
 * have no install scripts: koffi, which has one, is an optional peer.
 */
const [named] = process.argv.slice(2)
const folder = named ?? 'build'

// Removes files of an earlier build. A folder named on the command line is never deleted: it must not exist.
if (named === undefined) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
compile('tsconfig.package.json', folder)
compile(
  'src/pages/browser',
  join(folder, 'src/pages/browser'),
  '--noEmit',
  'false',
  '--rewriteRelativeImportExtensions',
)
for (const path of [
  ...globSync('src/**/*.{sql,css,json}'),
  'docs',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'LICENSE',
]) {
  cpSync(path, join(folder, path), { recursive: true })
}
put('bin/chirograph.js', readFileSync('bin/chirograph.js', 'utf8').replace('../src/cli.ts', '../src/cli.js'))
const {
  private: _,
  scripts,
  devDependencies,
  optionalDependencies,
  ...rest
} = JSON.parse(readFileSync('package.json', 'utf8'))
const { koffi, ...optional } = optionalDependencies
const manifest = {
  ...rest,
  // The entry starts the pinned Node, so an older Node may run it.
  engines: { node: '>=20' },
  optionalDependencies: optional,
  peerDependencies: { koffi },
  peerDependenciesMeta: { koffi: { optional: true } },
}
putJson('package.json', manifest)
putJson('npm-shrinkwrap.json', shrinkwrapOf(manifest))
// With the dot, since npm reads a bare word as the name of a package.
const at = `./${relative('.', folder)}`
console.log(`${folder} holds ${manifest.name} ${manifest.version}: npm pack ${at}, or npm publish ${at}`)

type Manifest = { readonly name: string; readonly version: string } & Dependencies
type Dependencies = Readonly<Partial<Record<'dependencies' | 'optionalDependencies', Readonly<Record<string, string>>>>>

/** Returns the part of the lock file that the package needs. @throws Error for a package with an install script */
function shrinkwrapOf(root: Manifest): object {
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
  follow('', root)
  const scripted = [...found].filter(([, one]) => one.hasInstallScript === true).map(([path]) => path)
  if (scripted.length > 0) throw new Error(`these packages have install scripts: ${scripted.join(', ')}`)
  const { name, version } = root
  const sorted = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1))
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

function putJson(path: string, value: object): void {
  put(path, `${JSON.stringify(value, null, 2)}\n`)
}

function put(path: string, text: string): void {
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
}
