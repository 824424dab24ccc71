import type { Read } from './setting-types.ts'

/** A variable of the environment: how it is read, and what it is when it is not set. */
export type Setting<T, D extends T | null> = {
  readonly name: string
  readonly read: Read<T>
  /** Value of a variable that is not set. null: see the description. */
  readonly default: D
  readonly description: string
  readonly type: string
}

/** Returns a setting. @param preset Its value when it is not set; null: see the description. */
export function setting<T, D extends T | null>(
  name: string,
  [type, read]: readonly [string, Read<T>],
  preset: D,
  description: string,
): Setting<T, D> {
  return { name, type, read, default: preset, description }
}
