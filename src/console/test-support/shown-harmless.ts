import type { Page } from 'playwright-core'
import { MARK } from './hostile-bodies.ts'

/** Longer than any text that a page shows whole: an address. */
const CHARS_MAX = 2100

/**
 * What is wrong with the texts of strangers in a page, as the parser of the browser reads it: elements, attributes or
 * addresses that came out of a text, signs that turn or hide what stands beside them, texts that are too long, and
 * texts that are not apart from the direction of those around them. Runs no script of the page and loads nothing.
 *
 * @param page Any page of the browser.
 */
export function harmsIn(page: Page, html: string): Promise<string[]> {
  return page.evaluate(`(${harms})(${JSON.stringify(html)}, ${MARK}, ${CHARS_MAX})`)
}

const harms = `(html, mark, charsMax) => {
  const document = new DOMParser().parseFromString(html, 'text/html')
  const found = []
  const begins = /^\\s*[=+@-]?zq[0-9a-z]+x/
  const unseen = /[^\\n\\t\\r\\P{Cc}]|[\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb]/u
  const schemes = ['http:', 'https:', 'mailto:', 'data:', 'openid-credential-offer:', 'openid4vp:', 'haip-vci:', 'haip-vp:']
  const isHarmless = (value) => schemes.includes(URL.parse(value, 'https://own.example')?.protocol)
  for (const one of document.querySelectorAll('*')) {
    const name = '<' + one.localName + '> '
    if (one.localName.startsWith('zq')) found.push(name + 'is an element of a stranger')
    if (one.localName === 'script' && (!one.src.includes('/assets/') || one.textContent !== '')) found.push(name + 'is not ours')
    if (one.localName === 'style' && one.textContent.search(mark) >= 0) found.push(name + 'has a text of a stranger')
    for (const { name: attribute, value } of one.attributes) {
      const shown = name + attribute + '=' + value.slice(0, 60)
      if (/^(on|zq|style$)/.test(attribute)) found.push(shown + ' is an attribute of a stranger')
      if (['href', 'src', 'action', 'formaction'].includes(attribute) && !isHarmless(value)) found.push(shown + ' is no address')
      // What is edited stands in its field as it is, and so do the members that a form keeps, and addresses.
      if (!['value', 'href', 'src', 'action'].includes(attribute) && unseen.test(value)) found.push(shown + ' has signs that are not seen')
    }
    if (one.matches('a[href^="data:"]')) found.push(name + 'leads to data')
  }
  // No element can stand in these, or their text is also the title.
  const plain = 'title, option, textarea, h1'
  const lines = '.credential span, .credential b, td > span, th > span, p, li, dd, dt, h2, h3, legend, label, summary, button, div, nav, section, figure, figcaption, header, footer, main, td, th, form, body'
  const isApart = (node) => {
    const whole = node.data.trim()
    for (let one = node.parentElement; one !== null; one = one.parentElement) {
      if (one.localName === 'bdi' || one.matches(plain)) return true
      if (one.matches(lines)) return one.textContent.trim() === whole
    }
    return false
  }
  const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const where = '<' + node.parentElement.outerHTML.slice(1, 60) + ' … '
    if (node.parentElement.matches('textarea, style, script')) continue
    if (unseen.test(node.data)) found.push(where + 'shows signs that are not seen: ' + escape(node.data.slice(0, 80)))
    if (node.data.search(mark) < 0) continue
    if ([...node.data].length > charsMax) found.push(where + 'is too long')
    // A sentence of ours may quote one; what is only a name stands apart.
    if (begins.test(node.data) && !isApart(node)) found.push(where + 'is not apart: ' + escape(node.parentElement.parentElement.textContent.slice(0, 120)))
  }
  return [...new Set(found)]
}`
