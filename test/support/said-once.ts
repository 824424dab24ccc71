import type { Frame, Page } from 'playwright-core'

/** What a screen reader has of the end of something, besides the title of the page. */
type Said = {
  /** The end has the focus: it is read then. */
  readonly isFocused: boolean
  readonly ends: number
  /** Live regions that say it besides. */
  readonly live: number
  /** Whether the title or the heading has the same words. */
  readonly isTitle: boolean
}

/** An end that is said once. */
export const SAID_ONCE: Said = { isFocused: true, ends: 1, live: 0, isTitle: false }

/**
 * Returns what a screen reader has of an end that is shown.
 *
 * @param selector Of the end; its first heading or paragraph is what it says.
 */
export function saidOf(shown: Page | Frame, selector: string): Promise<Said> {
  return shown.evaluate<Said>(`(() => {
    const end = document.querySelector('${selector}')
    const words = end?.querySelector('h2, p')?.textContent ?? ''
    const live = [...document.querySelectorAll('[role=status], [role=alert], [role=log], [aria-live], output')]
    return {
      isFocused: end !== null && document.activeElement === end,
      ends: document.querySelectorAll('${selector}').length,
      live: live.filter((one) => one.contains(end) || end?.contains(one) || one.textContent.includes(words)).length,
      isTitle: document.title.includes(words) || document.querySelector('h1')?.textContent === words,
    }
  })()`)
}

/** Counts what changes in a page from now on: each change could be said. @returns the count after 700 ms */
export async function changesIn(shown: Page | Frame): Promise<number> {
  return shown.evaluate<number>(`new Promise((resolve) => {
    let changes = 0
    new MutationObserver((list) => { changes += list.length }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
    setTimeout(() => resolve(changes), 700)
  })`)
}
