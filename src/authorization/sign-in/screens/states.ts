import type { Page } from '../../../pages/document.ts'
import { form } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { button, buttonLink, card, message } from '../../../pages/parts.ts'
import type { Organisation } from '../passwords/sign-in-by-password.ts'
import { type ScreenFrame, textsOf } from './frame.ts'
import type { SignInTexts } from './texts.ts'

/**
 * A person of several organisations chooses one.
 *
 * @param otherHref The sign-in, where another organisation can be named.
 * @param state Hidden members of the form.
 */
export function chooseScreen(
  frame: ScreenFrame,
  action: string,
  choices: readonly Organisation[],
  otherHref: string,
  state: Html = html``,
): Page {
  const { choose, otherOrganisation } = textsOf(frame)
  const buttons = choices.map(({ slug, name }) => button(name, { name: 'organisation', value: slug }))
  return {
    title: choose.title,
    main: html`<p>${choose.intro}</p>${card(form(frame, action, html`${state}${buttons}`))}
<p><a href="${otherHref}">${otherOrganisation}</a></p>`,
  }
}

/** The session of this browser ended. */
export function signedOutScreen(frame: ScreenFrame, signInHref: string): Page {
  const { signedOut } = textsOf(frame)
  return {
    title: signedOut.title,
    main: html`<p>${signedOut.body}</p><p>${buttonLink(signedOut.again, signInHref)}</p>`,
  }
}

/** Asks before signing out, since any website may link here. */
export function signOutScreen(frame: ScreenFrame, action: string): Page {
  const texts = textsOf(frame)
  const buttons = html`${button(texts.signOutAsk.title, { look: 'main' })}${buttonLink(texts.back, '/account')}`
  return {
    title: texts.signOutAsk.title,
    main: html`<p>${texts.signOutAsk.body}</p>${form(frame, action, html`<div class="buttons">${buttons}</div>`)}`,
  }
}

/** A kind of failure that has a page of its own. */
type Problem = keyof SignInTexts['problems']

/** Says what happened and what to do; the way to sign in is always there. */
export function problemScreen(frame: ScreenFrame, problem: Problem, signInHref: string, resetHref?: string): Page {
  const texts = textsOf(frame)
  const [title, advice] = texts.problems[problem]
  const again = resetHref !== undefined && buttonLink(texts.newLink, resetHref)
  return {
    title,
    hasErrors: true,
    main: html`${message('bad', advice)}<div class="buttons">${buttonLink(texts.signIn, signInHref)}${again}</div>`,
  }
}
