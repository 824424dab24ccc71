import type { Endpoint } from '../../http/routes/endpoint.ts'
import type { PathParams } from '../../http/routes/route.ts'
import { hidden } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { onceField } from '../../pages/once.ts'
import { button, buttonLink } from '../../pages/parts.ts'
import { type Frame, formScreen, type Screen } from './screen.ts'
import type { Crumb, Place } from './shell.ts'

/** What a person is asked before something is done. */
type Question = {
  readonly title: string
  readonly text: string
  /** The button that does it. */
  readonly button: string
  readonly look: 'main' | 'danger'
  readonly crumbs: readonly Crumb[]
  /** Where Cancel leads. */
  readonly back: string
}

type Spec<P extends string> = {
  readonly place: Place
  readonly path: P
  readonly summary: string
  readonly ask: (frame: Frame<PathParams<P>>) => Promise<Question> | Question
  readonly act: (frame: Frame<PathParams<P>>) => Promise<Screen | { readonly to: string }>
}

/** Declares a screen that asks, and then does what it says. It needs no script. */
export function confirmScreen<const P extends string>({ ask, act, ...spec }: Spec<P>): readonly Endpoint[] {
  return formScreen({
    ...spec,
    show: async (frame) => {
      const { title, text, button: label, look, crumbs, back } = await ask(frame)
      const action = frame.here.split('?', 1)[0] ?? ''
      const content = html`${hidden('sure', '1')}${onceField(frame.fields)}<p>${text}</p><div class="buttons">${button(label, { look })}${buttonLink(frame.t.cancel, back)}</div>`
      return { title, crumbs, main: html`<div class="narrow">${form(frame, action, content)}</div>` }
    },
    send: act,
  })
}
