import { realpathSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Imports a package of this project that only some deployments install.
 *
 * @param name E.g. `@chirograph/pkcs11`; its file is `chirograph-pkcs11-VERSION.tgz`.
 * @throws Error that names the setting that needs it and says how to install it
 */
export async function importOptional(name: string, setting: string): Promise<unknown> {
  // In a checkout it is a link to its sources: Node strips no types below node_modules, also where it keeps links.
  return import(pathToFileURL(realpathSync(entryOf(name, setting))).href)
}

function entryOf(name: string, setting: string): string {
  try {
    return fileURLToPath(import.meta.resolve(name))
  } catch (cause) {
    const file = `${name.replace('@', '').replace('/', '-')}-VERSION.tgz`
    const how = `npm install --ignore-scripts ${file} beside the server`
    throw new Error(`${setting} needs the package ${name}, which is not installed: ${how}`, { cause })
  }
}
