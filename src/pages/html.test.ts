import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesIn, sourcesIn } from '../../test/support/source.ts'
import { browserName } from '../authorization/sign-in/screens/browser-name.ts'
import { cookieNamed } from './cookies.ts'
import { document } from './document.ts'
import { html } from './html.ts'
import { languageOf } from './language.ts'
import { ago, duration } from './moment.ts'
import { moment } from './moment-text.ts'

const evil = `<img src=x onerror="alert('1')">&`

test('whatever is interpolated is escaped, for text and for a quoted attribute [SEC-77]', () => {
  const escaped = '&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;&#38;'
  assert.equal(html`<p title="${evil}">${evil}</p>`.text, `<p title="${escaped}">${escaped}</p>`)
  assert.equal(
    html`<ul>${[html`<li>${evil}</li>`, html`<li></li>`]}</ul>`.text,
    `<ul><li>${escaped}</li><li></li></ul>`,
  )
  assert.equal(html`${null}${undefined}${false}${0}`.text, '0')
})

test('signs that nobody sees are left out of what is read, and stay in fields and addresses', () => {
  const turned = 'a\u202eb\u200bc\0\n👩‍👩‍👧 می‌خواهم\ud83c'
  const seen = 'abc\n👩‍👩‍👧 می‌خواهم'
  assert.equal(html`<p title="${turned}">${turned}</p>`.text, `<p title="${seen}">${seen}</p>`)
  assert.equal(html`<input value="${turned}">`.text, `<input value="${turned}">`)
  assert.equal(
    html`<textarea>${turned}</textarea><a href="${turned}"></a>`.text,
    `<textarea>${turned}</textarea><a href="${turned}"></a>`,
  )
})

test('an attribute value without quotation marks is refused', () => {
  assert.throws(() => html`<p title=${'x'}></p>`, /quotation marks/)
})

test('only the template tag and the style element make HTML of text', () => {
  const makers = sourcesIn('src')
    .filter(({ code }) => /\bnew Html\(/.test(code))
    .map(({ path }) => path)
  assert.deepEqual(makers, ['src/pages/document.ts', 'src/pages/html.ts'])
})

test('no page and no browser module writes HTML by itself, but for answers of the server through the one trusted policy', () => {
  const trusted = /\.innerHTML = (?:trusted\(text\)|policy === null \? text : policy\.createHTML\(text\))/g
  const exchanging = ['src/pages/browser/embed-frame.ts', 'src/pages/browser/fragments.ts']
  const sources = ['src/pages', 'src/console', 'src/holder', 'src/visitor', 'src/authorization/sign-in'].flatMap(
    sourcesIn,
  )
  for (const { path, code } of sources) {
    const checked = exchanging.includes(path) ? code.replaceAll(trusted, '') : code
    assert.doesNotMatch(checked, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/, path)
  }
  assert(filesIn('src/pages/style').length > 0)
})

test('a style element cannot be left by its content', () => {
  const page = { title: 'T', main: html``, style: '</style><script>' }
  assert.throws(() => document(page, { language: 'en', nonce: 'n', here: '/' }))
  const text = document({ ...page, style: ':root{--accent:#123456}' }, { language: 'en', nonce: 'n', here: '/' })
  assert.match(text, /<style nonce="n">:root\{--accent:#123456\}<\/style>/)
})

for (const [what, url, headers, language] of [
  ['no preference', '/', {}, 'en'],
  ['a region of a language', '/', { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.8' }, 'fr'],
  ['qualities', '/', { 'accept-language': 'fr;q=0.3, en;q=0.8' }, 'en'],
  ['languages that we lack', '/', { 'accept-language': 'xh, zu;q=0.5' }, 'en'],
  ['an earlier choice', '/', { 'accept-language': 'en', cookie: 'a=b; chirograph-language=fr' }, 'fr'],
  ['a choice in the address', '/?lang=en', { cookie: 'chirograph-language=fr' }, 'en'],
  ['an unknown choice', '/?lang=xx', { 'accept-language': 'fr' }, 'fr'],
] as const) {
  test(`the language follows ${what}`, () => assert.equal(languageOf({ url, headers }), language))
}

test('a language that is not offered is not chosen; the first that is offered is the default', () => {
  const french = { 'accept-language': 'fr', cookie: 'chirograph-language=fr' }
  assert.equal(languageOf({ url: '/?lang=fr', headers: french }, ['en']), 'en')
  assert.equal(languageOf({ url: '/?lang=en', headers: french }, ['fr', 'en']), 'en')
  assert.equal(languageOf({ url: '/', headers: { 'accept-language': 'xh' } }, ['fr', 'en']), 'fr')
})

test('a cookie that is sent with two values is no cookie', () => {
  assert.equal(cookieNamed('a', 'b=1; a=2'), '2')
  assert.equal(cookieNamed('a', 'a=2; a=3'), null)
  assert.equal(cookieNamed('a', 'ba=2; a='), null)
  assert.equal(cookieNamed('a'), null)
})

test('moments and lengths of time are told in words', () => {
  const now = new Date('2026-11-22T12:00:00Z')
  const before = (seconds: number) => ago(new Date(now.getTime() - seconds * 1000), now, 'en', (when) => when).text
  assert.match(before(5), /datetime="2026-11-22T11:59:55.000Z">now</)
  assert.match(before(180), />3 minutes ago</)
  assert.match(before(90_000), />yesterday</)
  assert.deepEqual([duration(1, 'en'), duration(61, 'fr')], ['1 second', '2 minutes'])
})

test('a moment is told where it is, with the name of its zone, as the language writes it', () => {
  const text = '2026-01-31T22:30:00Z'
  assert.match(moment(text, 'en').text, /^<time datetime="2026-01-31T22:30:00Z">Jan 31, 2026, 10:30\sPM UTC</)
  assert.match(moment(text, 'de', 'Europe/Berlin').text, />31\. Jan\. 2026, 23:30 MEZ</)
  assert.match(moment(text, 'fr', 'Asia/Tokyo').text, />1 févr\. 2026, 07:30 UTC\+9</)
})

test('a browser is named by what people call it', () => {
  const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36 Edg/156.0'
  assert.deepEqual([browserName(agent), browserName('curl/8'), browserName('')], ['Edge, Windows', null, null])
})
