import { Fault } from '../fault.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The id in a path. @throws Fault `resource.unknown` if it is no UUID: then nothing has it. */
export function idIn({ id }: { readonly id: string }): string {
  return known(id)
}

/** @throws Fault `resource.unknown` if the text is no UUID. */
export function known(id: string): string {
  if (!UUID.test(id)) throw new Fault('resource.unknown')
  return id
}
