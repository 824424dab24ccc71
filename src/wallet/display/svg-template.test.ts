// SVG templates of strangers: what is drawn, what refuses a template, and that values stay text.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import sax from 'sax'
import { drawCard } from './draw-card.ts'
import { fillSvgTemplate, placeholdersIn, readSvgTemplate } from './svg-template.ts'
import { hasIntegrity, readTypeMetadata } from './type-metadata.ts'

const svg = (inside: string, more = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 190"${more}>${inside}</svg>`
const read = (text: string) => readSvgTemplate(Buffer.from(text))
const pixel = `data:image/png;base64,${(() => {
  const bytes = Buffer.alloc(64)
  Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1').copy(bytes)
  bytes.writeUInt32BE(1, 16)
  bytes.writeUInt32BE(1, 20)
  return bytes.toString('base64')
})()}`

for (const [what, text, kept] of [
  [
    'shapes and a text',
    svg('<rect width="300" height="190" fill="#123456"/><text x="1" y="2">{{name}}</text>'),
    /<text x="1" y="2">\{\{name\}\}<\/text>/,
  ],
  [
    'a gradient by its id',
    svg(
      '<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs><rect fill="url(#g)"/>',
    ),
    /url\(#g\)/,
  ],
  ['plain style rules', svg('<style>.a{fill:#fff;font-size:12px}</style><g class="a"/>'), /\.a\{fill/],
  ['a PNG in a data URI', svg(`<image href="${pixel}" width="9" height="9"/>`), /href="data:image\/png;base64,/],
  [
    'what drawing programs add',
    svg(
      '<metadata><rdf:x xmlns:rdf="u"/></metadata><g inkscape:label="x" data-name="y"><title>t</title></g>',
      ' xmlns:inkscape="http://i"',
    ),
    /^<svg[^>]*><g><\/g><\/svg>$/,
  ],
  [
    'the XML declaration, comments and CDATA',
    `<?xml version="1.0"?><!-- c -->${svg('<text><![CDATA[a < b]]></text>')}`,
    /a &lt; b/,
  ],
  [
    'the first of an attribute twice',
    svg('<rect fill="red" fill="url(https://a.example)"/>'),
    /<rect fill="red"><\/rect>/,
  ],
] as const) {
  test(`${what} stay`, () => assert.match(read(text) ?? '', kept))
}

const nested = `${'<g>'.repeat(50)}${'</g>'.repeat(50)}`
for (const [what, text] of [
  ['a script', svg('<script>alert(1)</script>')],
  ['a script of another namespace', svg('<x xmlns="http://www.w3.org/1999/xhtml"><script/></x>')],
  ['an event', svg('<rect onload="alert(1)"/>')],
  ['an event of the root', svg('', ' onload="alert(1)"')],
  ['foreignObject', svg('<foreignObject><body/></foreignObject>')],
  ['an iframe', svg('<iframe src="https://a.example"/>')],
  ['a picture of another host', svg('<image href="https://a.example/x.png"/>')],
  [
    'a picture of another host by xlink',
    svg('<image xlink:href="http://a.example/x.png"/>', ' xmlns:xlink="http://www.w3.org/1999/xlink"'),
  ],
  ['an SVG within', svg(`<image href="data:image/svg+xml,${encodeURIComponent(svg(''))}"/>`)],
  ['a page as picture', svg('<image href="data:text/html,x"/>')],
  ['use of another file', svg('<use href="https://a.example/x.svg#a"/>')],
  ['use, which multiplies', svg('<g id="a"/><use href="#a"/>')],
  ['a link', svg('<a href="javascript:alert(1)"><rect/></a>')],
  ['an animation that changes an address', svg('<set attributeName="href" to="javascript:alert(1)"/>')],
  ['a filter that fetches', svg('<filter id="f"><feImage href="https://a.example/x"/></filter>')],
  ['a pattern, which multiplies', svg('<pattern id="p"><rect fill="url(#p)"/></pattern>')],
  ['a clip within a clip', svg('<clipPath id="a"><rect clip-path="url(#a)"/></clipPath>')],
  ['an import of style', svg('<style>@import "https://a.example/x.css";</style>')],
  ['a font of another host', svg('<style>@font-face{src:url(https://a.example/f)}</style>')],
  ['an address in style', svg('<rect style="fill:url(https://a.example/x)"/>')],
  ['an address in style, escaped', svg('<rect style="fill:u\\72l(https://a.example/x)"/>')],
  ['an address in an entity', svg('<rect style="fill:url(&#x68;ttps://a.example/x)"/>')],
  ['an address without url()', svg(`<rect style="background:image-set('https://a.example/x' 1x)"/>`)],
  ['an address of an attribute', svg('<rect fill="url(https://a.example/x#a)"/>')],
  ['an address in a comment of style', svg('<style>a{fill:u/**/rl(//a.example)}</style>')],
  ['javascript: as a value', svg('<rect fill=" javascript:alert(1)"/>')],
  ['a placeholder in an attribute', svg('<rect fill="{{colour}}"/>')],
  ['a placeholder in style', svg('<style>.a{fill:{{colour}}}</style>')],
  ['a stylesheet by instruction', `<?xml-stylesheet href="https://a.example/x.css"?>${svg('')}`],
  ['a document type', `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://a.example/x.dtd">${svg('')}`],
  ['entities that grow', `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${svg('<text>&b;</text>')}`],
  ['an unknown entity', svg('<text>&nbsp;</text>')],
  ['a page', '<html><body>x</body></html>'],
  ['no namespace', '<svg viewBox="0 0 1 1"/>'],
  ['another namespace', '<svg xmlns="http://www.w3.org/1999/xhtml"/>'],
  ['a second root', svg('') + svg('')],
  ['text outside', `${svg('')}x`],
  ['an open element', '<svg xmlns="http://www.w3.org/2000/svg"><g>'],
  ['elements that cross', svg('<g><text></g></text>')],
  ['too deep', svg(nested)],
  ['too deep in what is left out', svg(`<metadata>${nested}</metadata>`)],
  ['too many elements', svg('<g/>'.repeat(5001))],
  ['too many placeholders', svg(`<text>${'{{a}}'.repeat(201)}</text>`)],
  ['too many pictures', svg(`<image href="${pixel}"/>`.repeat(5))],
  ['64 KiB and one byte', svg(`<!--${'x'.repeat(65_536)}-->`)],
  ['no UTF-8', Buffer.from([...Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><text>'), 0xff, 0xfe])],
  ['UTF-16', Buffer.from(`\ufeff${svg('')}`, 'utf16le')],
  ['nothing', ''],
] as const) {
  test(`refused: ${what}`, () => assert.equal(readSvgTemplate(Buffer.from(text)), null))
}

test('values stay text, whatever they are, and the image is well-formed', () => {
  const template = read(svg('<text>{{name}}</text><text><tspan>{{n}} {{gone}}</tspan></text>'))
  assert.ok(template !== null)
  assert.deepEqual([...placeholdersIn(template)], ['name', 'n', 'gone'])
  const claims = [
    { id: 'name', path: ['name'] },
    { id: 'n', path: ['list', null, 'n'] },
    { id: 'gone', path: ['__proto__', 'x'] },
  ]
  const name = `</text><script>alert("1")</script>&amp;'{{n}}\u202e\u0000`
  const drawn = drawCard({ template, claims }, { name, list: [{ n: 1 }, { n: { a: 1 } }, { n: true }] })
  const text = drawn?.bytes.toString() ?? ''
  const seen: string[] = []
  const parser = sax.parser(true)
  parser.onopentag = (one) => seen.push(one.name)
  parser.ontext = (one) => seen.push(one)
  parser.write(text).close()
  assert.deepEqual(seen, ['svg', 'text', `</text><script>alert("1")</script>&amp;'{{n}}`, 'text', 'tspan', '1, true '])
  const many = read(svg(`<text>${'{{a}}'.repeat(200)}</text>`)) ?? ''
  assert.equal(fillSvgTemplate(many, new Map([['a', '<'.repeat(500)]])), null, 'an image is at most 256 KiB')
})

test('type metadata is taken with its integrity only, and as that of its type', () => {
  const vct = 'https://types.example/card'
  const document = {
    vct,
    extends: 'https://a.example',
    display: [
      {
        locale: 'de',
        rendering: {
          svg_templates: [{ uri: 'https://a.example/p', properties: { orientation: 'portrait' } }, { uri: 'ftp://a' }],
        },
      },
      { locale: 'en', rendering: { svg_templates: [{ uri: 'https://a.example/l', 'uri#integrity': 'sha256-x' }] } },
    ],
    claims: [
      { path: ['a', null], svg_id: 'a' },
      { path: ['b'], svg_id: 'b-{{' },
      { path: 'c', svg_id: 'c' },
    ],
  }
  const bytes = Buffer.from(JSON.stringify(document))
  assert.deepEqual(readTypeMetadata(bytes, { vct, integrity: null }), {
    templates: [
      { uri: 'https://a.example/l', integrity: 'sha256-x' },
      { uri: 'https://a.example/p', integrity: null },
    ],
    claims: [{ id: 'a', path: ['a', null] }],
  })
  assert.equal(readTypeMetadata(bytes, { vct: `${vct}/other`, integrity: null }), null)
  assert.equal(readTypeMetadata(Buffer.from('[]'), { vct, integrity: null }), null)
  const hash = (name: string) => `${name}-${createHash(name).update(bytes).digest('base64')}`
  for (const [integrity, isRight] of [
    [null, true],
    [hash('sha256'), true],
    [`${hash('sha256')} ${hash('sha512')}`, true],
    [`${hash('sha256')} sha512-AAAA`, false],
    ['sha256-AAAA', false],
    [hash('md5'), false],
    ['', false],
  ] as const)
    assert.equal(hasIntegrity(bytes, integrity), isRight, String(integrity))
})
