import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * Builds the npm package into a new folder: `npm run package [FOLDER]`, `build` unless told. It is compiled, since Node runs no TypeScript below
 * `node_modules`; tests stay here.
 */
const [named] = process.argv.slice(2)
const folder = named ?? 'build'

// What is gone here must not be in the package still. A folder that somebody named is not ours to empty: it may not be there yet.
if (named === undefined) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
const { status } = spawnSync('tsc', ['--project', 'tsconfig.package.json', '--outDir', folder], { stdio: 'inherit' })
if (status !== 0) throw new Error('the package could not be compiled')
for (const path of [...globSync('src/**/*.sql'), 'docs', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE']) {
  cpSync(path, join(folder, path), { recursive: true })
}
put('bin/chirograph.js', readFileSync('bin/chirograph.js', 'utf8').replace('../src/cli.ts', '../src/cli.js'))
const { private: _, scripts, devDependencies, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'))
// The entry hands over to the Node that comes with it, so an older one may start it.
put('package.json', `${JSON.stringify({ ...manifest, engines: { node: '>=20' } }, null, 2)}\n`)
// With the dot, since npm takes a bare word for the name of a package.
const at = `./${relative('.', folder)}`
console.log(`${folder} holds ${manifest.name} ${manifest.version}: npm pack ${at}, or npm publish ${at}`)

function put(path: string, text: string): void {
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
}
