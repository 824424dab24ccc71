import { type Endpoint, Upload } from '../http/routes/endpoint.ts'
import { fileField } from '../pages/controls.ts'
import { errorSummary, field, fileForm } from '../pages/form.ts'
import { type Html, html } from '../pages/html.ts'
import { typed } from '../pages/once.ts'
import { type PageAnswer, type PageContext, pageEndpoint } from '../pages/page-endpoint.ts'
import { button, buttonLink, message } from '../pages/parts.ts'
import { foreignText } from '../protocols/foreign-text.ts'
import { type Refusal, sharingTime } from './call-api.ts'
import { callCheckPresentation, type Face, readOrganisation, readPresentationFile } from './link-api.ts'
import { checkPath, framedFor, privateHeaders } from './link-frame.ts'
import { linkTexts } from './link-texts.ts'
import { checksView, contentView, verdictView } from './link-views.ts'
import { refused, refusedMessage, visitorShell } from './views.ts'

/** The file alone; the form has some more. */
const FILE_BYTES_MAX = 1_000_000
const AUDIENCE_CHARS = 300
const SECRET = /^\/shared\/([\w-]{86})$/
const SECRET_CHARS = 86

type Context = PageContext<{ readonly tenant: string }>

const show = pageEndpoint({
  method: 'GET',
  path: '/check-file/{tenant}',
  summary: 'A page of an organisation that checks a card that somebody was given, as a link or a file.',
  handle: (context) => withFace(context, (face) => formPage(context, face)),
})

const send = pageEndpoint({
  method: 'POST',
  path: '/check-file/{tenant}',
  summary: 'Checks a file, or leads to a link.',
  takesFile: true,
  handle: (context) => withFace(context, (face) => checked(context, face)),
})

async function withFace(context: Context, show: (face: Face) => PageAnswer | Promise<PageAnswer>): Promise<PageAnswer> {
  const face = await readOrganisation(context, context.params.tenant)
  return face.refusal === null ? show(face.data) : refusedPage(context, face.refusal)
}

async function checked(context: Context, face: Face): Promise<PageAnswer> {
  const { fields, language, platform } = context
  const t = linkTexts[language]
  const file = fields instanceof Upload ? fields.files.get('file') : undefined
  const link = typed(fields, 'link')
  if (file === undefined || file.bytes.length === 0) return link === '' ? formPage(context, face, t.nothing) : open()
  const read = file.bytes.length > FILE_BYTES_MAX ? 'unknown' : readPresentationFile(file.bytes)
  const secretInFile = read === 'pdf' ? secretIn(file.bytes) : undefined
  if (secretInFile !== undefined) return { to: `/shared/${secretInFile}` }
  if (typeof read === 'string') {
    const [title, text] = read === 'pdf' ? t.pdf : t.badFile
    const main = html`${message('bad', text)}${again(context)}`
    return framedFor(face, language, { title, main, hasErrors: true }, 422)
  }
  const check = await callCheckPresentation(sharingTime(context), context.params.tenant, read)
  if (check.refusal !== null) return refusedPage(context, check.refusal)
  const madeFor = check.data.isOfLink ? t.ofLink : t.ofOther(foreignText(read.audience, AUDIENCE_CHARS) ?? '–')
  const main = html`${verdictView(check.data, language)}
  <p class="whole">${madeFor}</p>
  ${contentView(check.data, language, [])}
  ${checksView(check.data, language, platform.clock.now(), true)}
  ${again(context)}`
  return framedFor(face, language, { title: t.checkTitle, main })

  function open(): PageAnswer {
    const url = URL.parse(link)
    const secret = url?.origin === new URL(platform.urls.publicUrl).origin ? SECRET.exec(url.pathname)?.[1] : undefined
    return secret === undefined ? formPage(context, face, t.badLink) : { to: `/shared/${secret}` }
  }

  /** The document of a link has its address as a link, which is not compressed. */
  function secretIn(bytes: Buffer): string | undefined {
    const before = `(${platform.urls.publicUrl}/shared/`
    const at = bytes.indexOf(before)
    if (at === -1) return undefined
    const from = at + before.length
    return SECRET.exec(`/shared/${bytes.toString('latin1', from, from + SECRET_CHARS)}`)?.[1]
  }
}

function formPage(context: Context, face: Face, error?: string): PageAnswer {
  const { language, fields } = context
  const t = linkTexts[language]
  const link = {
    name: 'link',
    label: t.link,
    type: 'url',
    value: typed(fields, 'link'),
    isOptional: true,
    error,
  } as const
  const file = { name: 'file', label: t.file, hint: t.fileHint, accept: '.json,.sd-jwt,.txt,.pdf', isOptional: true }
  const content = html`${field(context, link)}${fileField(context, file)}
  <div class="buttons">${button(t.check, { look: 'main' })}</div>`
  const main = html`${errorSummary(context, [link])}<p>${t.checkText}</p>
  ${fileForm(context, checkPath(context.params.tenant), content)}`
  return framedFor(face, language, { title: t.checkTitle, main, hasErrors: error !== undefined }, error ? 422 : 200)
}

function again({ language, params }: Context): Html {
  return html`<p class="buttons">${buttonLink(linkTexts[language].again, checkPath(params.tenant))}</p>`
}

function refusedPage(context: Context, refusal: Refusal): PageAnswer {
  const { language } = context
  const { status, retryAfterSeconds } = refusal
  const wait = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) }
  const page = {
    title: refused(refusal, language).title,
    main: refusedMessage(refusal, language),
    hasErrors: true,
    shell: visitorShell(),
  }
  return { status, headers: { ...privateHeaders, ...wait }, page }
}

/** The pages that check what somebody was given. */
export const checkPages: readonly Endpoint[] = [show, send]
