import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { button, buttonLink } from '../../pages/parts.ts'
import { type Problems, problemList } from '../frame/form-values.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import type { Differing, ShownForm } from './form.ts'

/** A page of a form beside what it makes. */
type Designed = {
  /** The fields. */
  readonly cards: Html
  /** Id of what is drawn anew while something is typed, and the button that does it without a script. */
  readonly target: string
  readonly redraw: string
  /** Beside the form. */
  readonly aside: Html
  readonly above?: Html | null | undefined
  /** By default a form without files. */
  readonly formOf?: typeof form
}

/** Returns the page of a form beside a picture of what it makes, which follows what is typed. It needs no script. */
export function designedPage(
  frame: Frame,
  { problems, action, back, kept, both }: Omit<ShownForm<unknown>, 'draft'>,
  { cards, target, redraw, aside, above, formOf = form }: Designed,
): Pick<Screen, 'main' | 'modules'> {
  const content = html`${kept}
  <button type="submit" name="do" value="save" hidden>${frame.t.save}</button>
  ${cards}
  <div class="buttons narrow">
    ${button(frame.t.save, { look: 'main', name: 'do', value: 'save' })}
    ${button(redraw, { name: 'do', value: 'preview' })}
    ${buttonLink(frame.t.cancel, back)}
  </div>`
  const main = html`${problemList(frame.texts.problems, inOrderOf(cards, problems))}${both}${above}
  <div class="beside">
    <fragment-form target="${target}" submit="do=preview">${formOf(frame, action, content)}</fragment-form>
    ${aside}
  </div>`
  return { main, modules: ['fragments'] }
}

/**
 * Returns fields that are seldom changed, closed, and open where something in them is wrong.
 *
 * @param title What opens them; beside it stands what is set in them, `told`.
 * @param isNeeded The person continues in them.
 */
export function closedFields(
  title: Html | string,
  told: string,
  fields: Html,
  { fields: wrong }: Problems,
  isNeeded = false,
): Html {
  const isOpen = isNeeded || Object.keys(wrong).some((name) => fields.text.includes(`id="${name}"`))
  return html`<details${isOpen && html` open`}>
    <summary>${title} <span class="hint">${told}</span></summary>
    <div class="stack">${fields}</div>
  </details>`
}

/** The API finds in its own order; people read in that of the page. */
function inOrderOf({ text }: Html, problems: Problems): Problems {
  const placeOf = (name: string) => text.indexOf(`id="${name}"`)
  const all = Object.entries(problems.fields).toSorted(([one], [other]) => placeOf(one) - placeOf(other))
  return { ...problems, fields: Object.fromEntries(all) }
}

/** Returns the button that such a form was sent with; `''`: it was not sent. */
export function pressedIn({ fields }: Pick<Frame, 'fields'>): string {
  return typed(fields, 'do')
}

/** Whether a script asks for what such a form makes alone. */
export function isRedrawn(frame: Frame): boolean {
  return pressedIn(frame) === 'preview' && frame.headers['sec-fetch-dest'] === 'empty'
}

/** What a form says in words, by a key that the same thing has in two versions of it. */
export type Said = readonly (readonly [key: string, label: string, text: string])[]

/** Returns where two versions say something else, in the order of the second. */
export function differingIn(theirs: Said, yours: Said): readonly Differing[] {
  const [before, now] = [theirs, yours].map((said) => new Map(said.map(([key, label, text]) => [key, { label, text }])))
  const keys = [...new Set([...(now?.keys() ?? []), ...(before?.keys() ?? [])])]
  return keys.flatMap((key) => {
    const [one, other] = [before?.get(key), now?.get(key)]
    const label = other?.label ?? one?.label ?? ''
    return one?.text === other?.text ? [] : [{ label, theirs: one?.text ?? '', yours: other?.text ?? '' }]
  })
}
