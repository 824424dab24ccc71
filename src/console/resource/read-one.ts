import type { ApiOperation } from '../../contract/api-operation.ts'
import { oneParam } from '../../contract/call.ts'
import type { Frame } from '../frame/screen.ts'
import type { AnyResource } from './noun.ts'

/** A frame below the page of one. */
export type OneFrame = Frame<{ readonly id: string }>

/** What the API returned of one, with the entity tag of its state. */
export type Found = { readonly found: never; readonly meta: never; readonly etag: string }

/** Reads the one that the address names. */
export async function readOne({ noun }: Pick<AnyResource, 'noun'>, { api, params }: OneFrame): Promise<Found> {
  const { data, meta, etag } = await api.call<ApiOperation>(noun.get, { params: oneParam(noun.get, params.id) })
  // Functions of the description are given what the operation promises.
  return { found: data as never, meta: meta as never, etag: etag ?? '' }
}

/** Returns the member `id` of one. */
export function idIn(one: object): string {
  return String(new Map(Object.entries(one)).get('id'))
}

/** Returns the way to the list, for the crumbs of what is below it. */
export function wayTo({ under, texts, path }: Pick<AnyResource, 'under' | 'texts' | 'path'>, frame: Frame) {
  return [...(under?.(frame) ?? []), [texts[frame.language].title, path]] as const
}

/** Returns the address of one, or of something to do with it. */
export function pathOf({ path, idOf }: Pick<AnyResource, 'path' | 'idOf'>, one: object, verb?: string): string {
  const id = idOf === undefined ? idIn(one) : idOf(one as never)
  return `${path}/${encodeURIComponent(id)}${verb === undefined ? '' : `/${verb}`}`
}
