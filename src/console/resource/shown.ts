import type { Html } from '../../pages/html.ts'
import type { Frame } from '../frame/screen.ts'
import type { AnyResource } from './noun.ts'

/** A text of a noun by its key. */
export function textOf({ texts }: Pick<AnyResource, 'texts'>, { language }: Frame, key: string): string {
  // A key of a sentence, as the description says.
  return (texts[language] as unknown as Readonly<Record<string, string>>)[key] ?? key
}

/** Returns columns or facts in their order, each with its text. */
export function shownIn(
  one: Pick<AnyResource, 'texts'>,
  frame: Frame,
  described: AnyResource['columns'],
): readonly { readonly heading: string; readonly of: (row: never) => Html | string | null }[] {
  // Each member is a function of the row.
  const all = Object.entries(described) as unknown as readonly (readonly [
    string,
    (row: never, frame: Frame) => Html | string | null,
  ])[]
  return all.map(([key, of]) => ({ heading: textOf(one, frame, key), of: (row) => of(row, frame) }))
}
