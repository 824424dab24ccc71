import { shownText } from '../../pages/foreign-text.ts'
import type { Html } from '../../pages/html.ts'
import type { Frame } from '../frame/screen.ts'
import type { AnyResource } from './noun.ts'

/** A text of a noun by its key. */
export function textOf({ texts }: Pick<AnyResource, 'texts'>, { language }: Frame, key: string): string {
  // A key of a sentence, as the description says.
  return (texts[language] as unknown as Readonly<Record<string, string>>)[key] ?? key
}

/** What one is called in headings and on the way to it, harmless to show. */
export function shownName({ name: { of, short = of } }: Pick<AnyResource, 'name'>, one: never, frame: Frame): string {
  return shownText(short(one, frame), 80)
}

type Of = (row: never, frame: Frame) => Html | string | null

/** Returns columns or facts in their order, each with its text. */
export function shownIn(
  one: Pick<AnyResource, 'texts'>,
  frame: Frame,
  described: AnyResource['facts'],
): readonly {
  readonly heading: string
  readonly cell: (row: never) => Html | string | null
  readonly isFigure: boolean
}[] {
  // Each member is a function of the row, or has one.
  const all = Object.entries(described) as unknown as readonly (readonly [string, Of | { readonly figure: Of }])[]
  return all.map(([key, of]) => {
    const cell = typeof of === 'function' ? of : of.figure
    return { heading: textOf(one, frame, key), cell: (row) => cell(row, frame), isFigure: typeof of !== 'function' }
  })
}
