import assert from 'node:assert/strict'
import koffi from 'koffi'

/** Calls a function of a module that the product never calls, with a session or a slot. */
export function meddle(module: string, name: string, target: bigint): void {
  const native = koffi.load(module).func(name, 'unsigned long', ['unsigned long'])
  assert.equal(Number(native(target)), 0)
}
