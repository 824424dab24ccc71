import type { ApiOperation, OptionalSchema, PathParams } from '../../contract/api-operation.ts'
import { oneParam } from '../../contract/call.ts'
import type { Language } from '../../contract/languages.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceField } from '../../pages/once.ts'
import { button, buttonLink } from '../../pages/parts.ts'
import { type Frame, formScreen, type Screen } from './screen.ts'
import type { Crumb, MenuPlace } from './shell.ts'

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
  /** What the person can choose besides. */
  readonly fields?: Html
}

type Spec<P extends string> = {
  readonly place: MenuPlace
  readonly path: P
  readonly summary: string
  /** Returns a screen where there is nothing to ask. */
  readonly ask: (frame: Frame<PathParams<P>>) => Promise<Question | Screen> | Question
  readonly act: (frame: Frame<PathParams<P>>) => Promise<Screen | { readonly to: string }>
}

/** Declares a screen that asks, and then does what it says. It needs no script. */
export function confirmScreen<const P extends string>({ ask, act, ...spec }: Spec<P>): readonly Endpoint[] {
  return formScreen({
    ...spec,
    show: async (frame) => {
      const asked = await ask(frame)
      if ('main' in asked) return asked
      const { title, text, button: label, look, crumbs, back, fields } = asked
      const action = frame.here.split('?', 1)[0] ?? ''
      const content = html`${hidden('sure', '1')}${onceField(frame.fields)}
      <p>${text}</p>
      ${fields}
      <div class="buttons">${button(label, { look })}${buttonLink(frame.t.cancel, back)}</div>`
      return { title, crumbs, main: html`<div class="narrow">${form(frame, action, content)}</div>` }
    },
    send: act,
  })
}

type RemovalText = 'title' | 'remove' | 'removeTitle' | 'removeText'

/** Something of a list that can be deleted, or put away for good. */
type Removal = {
  readonly place: MenuPlace
  /** Path of the list. */
  readonly list: string
  /** Removes one of it, by the one parameter of its path. */
  readonly operation: ApiOperation<`${string}{${string}}`, OptionalSchema, OptionalSchema, undefined>
  readonly summary: string
  readonly verb?: 'delete' | 'archive'
  /** It is seen in the list only. */
  readonly hasNoPage?: true | undefined
  readonly texts: Readonly<Record<Language, Readonly<Record<RemovalText, string>>>>
  /** What it is called, harmless to show. */
  readonly nameOf: (frame: Frame<{ readonly id: string }>) => Promise<string>
}

/**
 * Declares the screen that asks whether to delete something, and does it. Its own page, if it has one, is
 * `{list}/{id}`.
 */
export function removeScreen({
  list,
  operation,
  verb = 'delete',
  hasNoPage,
  texts,
  nameOf,
  ...spec
}: Removal): readonly Endpoint[] {
  return confirmScreen({
    ...spec,
    path: `${list}/{id}/${verb}` as `${string}/{id}/${string}`,
    ask: async (frame) => {
      const { id = '' } = frame.params
      const t = texts[frame.language]
      const name = await nameOf({ ...frame, params: { id } })
      const back = hasNoPage ? list : `${list}/${encodeURIComponent(id)}`
      const own = hasNoPage ? [] : [[name, back] as const]
      const question = {
        title: t.removeTitle,
        text: `${name}${frame.t.colon}${t.removeText}`,
        button: t.remove,
      } as const
      return { ...question, look: 'danger', crumbs: [[t.title, list], ...own, [t.remove]], back }
    },
    act: async ({ api, params }) => {
      await api.call<ApiOperation>(operation, { params: oneParam(operation, params.id) })
      return { to: list }
    },
  })
}
