import { escapeHtml } from '../routes/page.ts'
import { OTHER_CONTENT } from './components.ts'
import type { OpenApi, OpenApiOperation } from './document.ts'
import { responseOf } from './named-responses.ts'
import { anchor, inline, replyBlock, shapeBlock, typeSummary } from './reference-shape.ts'

type Entry = {
  readonly path: string
  readonly method: string
  readonly operation: OpenApiOperation
  readonly shapes: Shape
}
type Shape = Readonly<Record<string, unknown>>

/** Renders the API reference as one page: a menu of tags, and the operations of each tag, collapsed. */
export function referencePage(document: OpenApi): string {
  const shapes = document.components.schemas
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const answers = Object.entries(operation.responses).map(([status, one]) => [status, responseOf(document, one)])
      const whole = { ...operation, responses: Object.fromEntries(answers) }
      return { path, method: method.toUpperCase(), operation: whole, shapes }
    }),
  )
  const byTag = Map.groupBy(entries, ({ operation }) => operation.tags[0] ?? 'Other')
  const menu = [...byTag.keys()].map((tag) => `<li><a href="#${anchor(tag)}">${escapeHtml(tag)}</a></li>`)
  const sections = [...byTag].map(([tag, found]) => section(tag, describe(document, tag), found))
  const schemas = Object.entries(shapes).map(([name, schema]) => schemaBlock(name, schema))
  return `<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Chirograph API reference</title>
      <link rel="stylesheet" href="/docs/style.css">
    </head>
    <body>
      <nav aria-label="Groups">
        <h1>API reference</h1>
        <ul>${menu.join('')}<li><a href="#shapes">Shapes</a></li></ul>
        <p><a href="/openapi.json">openapi.json</a></p>
      </nav>
      <main>
        ${introduction(document)}
        ${sections.join('')}
        <section><h2 id="shapes">Shapes</h2>${schemas.join('')}</section>
      </main>
    </body>
  </html>
`
}

function introduction({ info }: OpenApi): string {
  const { description } = (info ?? {}) as Shape
  return `<p>${inline(description)}</p>`
}

function describe({ tags }: OpenApi, tag: string): string {
  const found = Array.isArray(tags) ? tags.find((one: Shape) => one.name === tag) : undefined
  return typeof found?.description === 'string' ? `<p>${escapeHtml(found.description)}</p>` : ''
}

function section(tag: string, intro: string, entries: readonly Entry[]): string {
  return `<section>
    <h2 id="${anchor(tag)}">${escapeHtml(tag)}</h2>
    ${intro}${entries.map(operationBlock).join('')}
  </section>`
}

function operationBlock({ path, method, operation, shapes }: Entry): string {
  const about = operation.description === undefined ? '' : `<p>${inline(operation.description)}</p>`
  return `<details>
    <summary><b class="${method.toLowerCase()}">${method}</b> <code>${escapeHtml(path)}</code>
      <span>${escapeHtml(operation.summary)}</span></summary>
    <div id="${anchor(`${method} ${path}`)}">
      ${about}${parameterTable(operation)}${bodyBlock(operation, shapes)}${responseList(operation)}
    </div>
  </details>`
}

function parameterTable({ parameters }: OpenApiOperation): string {
  if (parameters === undefined || parameters.length === 0) return ''
  const rows = parameters.map((one) => {
    const { name, in: place, description, schema } = one as Shape
    const cells = [
      `<code>${escapeHtml(String(name))}</code>`,
      escapeHtml(String(place)),
      typeSummary(schema),
      inline(description),
    ]
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  })
  return `<table><thead><tr><th>Parameter<th>In<th>Form<th>Meaning</tr></thead><tbody>${rows.join('')}</tbody></table>`
}

/** Shows the schema of the body in place, also if it is a component. */
function bodyBlock({ requestBody }: OpenApiOperation, shapes: Shape): string {
  const show = (schema: unknown) => {
    const { $ref } = (schema ?? {}) as Shape
    return shapeBlock(typeof $ref === 'string' ? shapes[$ref.split('/').at(-1) ?? ''] : schema)
  }
  return requestBody === undefined ? '' : `<h4>Body</h4>${contentBlocks(requestBody, show)}`
}

function responseList({ responses }: OpenApiOperation): string {
  const items = Object.entries(responses).map(([status, response]) => {
    const { description } = response as Shape
    const isGood = status.startsWith('2')
    return `<dt><code>${escapeHtml(status)}</code></dt>
    <dd>${inline(description)}${isGood ? contentBlocks(response, replyBlock) : ''}</dd>`
  })
  return `<h4>Responses</h4><dl>${items.join('')}</dl>`
}

function contentBlocks(holder: object, show: (schema: unknown) => string): string {
  const { content, [OTHER_CONTENT]: others } = holder as Shape
  const blocks = Object.entries({ ...Object(content), ...Object(others) }).map(([type, one]) => {
    const { schema } = Object(one)
    return `<p><code>${escapeHtml(type)}</code></p>${show(schema)}`
  })
  return blocks.join('')
}

/** The anchor is inside of `details`, so that a browser opens it when a link leads there. */
function schemaBlock(name: string, schema: object): string {
  const text = `<div id="${anchor(`shape ${name}`)}">${shapeBlock(schema)}</div>`
  return `<details><summary><code>${escapeHtml(name)}</code></summary>${text}</details>`
}

/** Style sheet of the API reference, for light and dark colour schemes. */
export const referenceStyle = `
:root {
  color-scheme: light dark;
  --edge: light-dark(#d5d9df, #3a4048);
  --soft: light-dark(#f5f6f8, #1b1f24);
}
* {
  box-sizing: border-box;
}
body {
  margin: 0;
  display: flex;
  font: 16px/1.5 system-ui, sans-serif;
}
nav {
  position: sticky;
  top: 0;
  height: 100vh;
  overflow: auto;
  flex: 0 0 16rem;
  padding: 1rem;
  border-right: 1px solid var(--edge);
}
nav h1 {
  font-size: 1.1rem;
}
nav ul {
  list-style: none;
  padding: 0;
}
nav li {
  margin: .3rem 0;
}
main {
  flex: 1;
  min-width: 0;
  padding: 1rem 2rem;
  max-width: 70rem;
}
details {
  border: 1px solid var(--edge);
  border-radius: 6px;
  margin: .5rem 0;
  padding: .5rem .8rem;
}
summary {
  cursor: pointer;
}
details > div {
  scroll-margin-top: 4rem;
}
summary span {
  display: block;
  margin-left: 5.1rem;
}
summary b {
  display: inline-block;
  width: 4rem;
  font-size: .8rem;
}
b.get {
  color: light-dark(#0a6640, #5fd39b);
}
b.post {
  color: light-dark(#0b4fa8, #7db4ff);
}
b.delete {
  color: light-dark(#a3171f, #ff8f94);
}
b.put, b.patch {
  color: light-dark(#7a4b00, #f0b95a);
}
table {
  border-collapse: collapse;
  width: 100%;
}
th, td {
  text-align: left;
  vertical-align: top;
  padding: .3rem .5rem;
  border-top: 1px solid var(--edge);
}
pre {
  background: var(--soft);
  padding: .6rem;
  border-radius: 6px;
  overflow: auto;
  font-size: .85rem;
}
code {
  overflow-wrap: anywhere;
}
h4 {
  margin: 1rem 0 .3rem;
}
details p {
  margin: .4rem 0;
}
dt {
  float: left;
  clear: left;
  width: 4rem;
}
dd {
  margin: 0 0 .5rem 4rem;
}
@media (max-width: 50rem) {
  body {
    display: block;
  }
  nav {
    position: static;
    height: auto;
    border: 0;
  }
  main {
    padding: 1rem;
  }
  table, tbody, tr, td {
    display: block;
  }
  thead {
    display: none;
  }
  tr {
    border-top: 1px solid var(--edge);
    padding: .3rem 0;
  }
  td {
    border: 0;
    padding: .1rem 0;
  }
}
`
