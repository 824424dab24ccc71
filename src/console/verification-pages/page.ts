import type { ReplyOf } from '../../contract/api-operation.ts'
import type { GivenBody } from '../../contract/call.ts'
import type { verificationPages } from '../../contract/verification/verification-pages.ts'
import { stepsOf } from '../../json-pointer.ts'
import { typed } from '../../pages/once.ts'
import { type Problems, problemsOf } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { pageTexts } from './texts.ts'

/** Path of the list. */
export const LIST = '/console/verification-pages'
/** The entry of the menu. */
export const place = 'verificationPages'

/** A verification page as the API shows it. */
export type VerificationPage = ReplyOf<typeof verificationPages.get>

/** What is in the form, as text. */
export type Draft = Readonly<Record<(typeof members)[number] | 'etag', string>>

const members = [
  'name',
  'template',
  'heading',
  'explanation',
  'visitorSees',
  'origins',
  'redirectUri',
  'anotherDevice',
  'requestsPerMinute',
  'requestsPerAddress',
  'minutes',
  'state',
] as const
const SECONDS_OF_MINUTE = 60

/** The form of a new page. */
export const blank: Draft = {
  name: '',
  template: '',
  heading: '',
  explanation: '',
  visitorSees: 'verdict',
  origins: '',
  redirectUri: '',
  requestsPerMinute: '60',
  requestsPerAddress: '10',
  minutes: '10',
  state: 'open',
  etag: '',
  anotherDevice: '',
}

/** Returns the form of a page. */
export function draftOf(page: VerificationPage, etag: string): Draft {
  return {
    name: page.name,
    template: page.presentationTemplateId,
    visitorSees: page.visitorSees,
    etag,
    heading: page.heading ?? '',
    explanation: page.explanation ?? '',
    redirectUri: page.redirectUri ?? '',
    origins: page.origins.join('\n'),
    requestsPerMinute: String(page.requestsPerMinute),
    requestsPerAddress: String(page.requestsPerAddress),
    minutes: String(Number((page.expiresInSeconds / SECONDS_OF_MINUTE).toFixed(4))),
    state: page.isOpen ? 'open' : 'closed',
    anotherDevice: page.anotherDevice === null ? '' : page.anotherDevice ? 'yes' : 'no',
  }
}

/** Returns what was typed. */
export function readDraft({ fields }: Pick<Frame, 'fields'>): Draft {
  const values = [...members, 'etag' as const].map((name) => [name, typed(fields, name).replaceAll('\r\n', '\n')])
  // Each name is a member.
  return Object.fromEntries(values) as Draft
}

/** Returns what can be told before the API is asked. */
export function checkDraft({ name }: Draft, frame: Frame): Problems {
  return { fields: name === '' ? { name: frame.t.required(pageTexts[frame.language].name) } : {} }
}

/** Returns the body of a new page: what has no text is left out. */
export function newBody(draft: Draft): GivenBody<typeof verificationPages.create> {
  const given = Object.entries(bodyOf(draft)).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(given), name: draft.name, presentationTemplateId: draft.template }
}

/** Returns the body of a change: what has no text is cleared. */
export function bodyOf(draft: Draft): GivenBody<typeof verificationPages.change> {
  const text = (value: string) => (value === '' ? null : value)
  const count = (value: string) => (/^\d{1,6}$/.test(value) ? Number(value) : value)
  const isTime = /^\d{1,6}([.,]\d{1,4})?$/.test(draft.minutes)
  const seconds = Math.round(Number(draft.minutes.replace(',', '.')) * SECONDS_OF_MINUTE)
  return {
    name: draft.name,
    presentationTemplateId: draft.template,
    visitorSees: draft.visitorSees,
    heading: text(draft.heading),
    explanation: text(draft.explanation),
    redirectUri: text(draft.redirectUri),
    origins: draft.origins.split(/\s+/).filter((one) => one !== ''),
    requestsPerMinute: count(draft.requestsPerMinute),
    requestsPerAddress: count(draft.requestsPerAddress),
    expiresInSeconds: isTime ? seconds : draft.minutes,
    isOpen: draft.state !== 'closed',
    anotherDevice: draft.anotherDevice === '' ? null : draft.anotherDevice === 'yes',
  }
}

/** Returns the findings of the API at the fields of the form. */
export function refusedDraft(error: unknown, draft: Draft, frame: Frame): Problems {
  const t = pageTexts[frame.language]
  const fieldOf = (pointer: string) => {
    const [name = ''] = stepsOf(pointer)
    const renamed: Readonly<Record<string, string>> = {
      presentationTemplateId: 'template',
      expiresInSeconds: 'minutes',
    }
    const own = renamed[name] ?? name
    return members.some((one) => one === own) ? own : null
  }
  const { fields, general } = problemsOf(error, fieldOf, frame.t)
  // The API counts seconds.
  const said = {
    ...(fields.minutes !== undefined && { minutes: t.minutesWrong }),
  }
  return { fields: { ...fields, ...said }, ...(general !== undefined && draft.name !== '' && { general }) }
}
