// Forms of pages without a browser: their controls, and what a browser would send.
import type { TenantId, UserId } from '../../caller.ts'
import type { Language } from '../../contract/languages.ts'
import type { Html } from '../../pages/html.ts'
import { pageTexts } from '../../pages/messages/page-texts.ts'
import type { Frame } from '../frame/screen.ts'
import { consoleTexts } from '../frame/texts.ts'

/** A control of a form. `choices`: the values of a list. */
export type Control = {
  readonly name: string
  readonly kind: 'hidden' | 'text' | 'tick' | 'list'
  readonly value: string
  readonly isOn: boolean
  readonly choices: readonly string[]
}

const CONTROL = /<input\b([^>]*)>|<select\b([^>]*)>([\s\S]*?)<\/select>|<textarea\b([^>]*)>([\s\S]*?)<\/textarea>/g

/** Returns the controls of a form in their order, without files. */
export function controlsOf({ text }: Pick<Html, 'text'>): readonly Control[] {
  return [...text.matchAll(CONTROL)].flatMap(([, input, select, options = '', area, content = '']): Control[] => {
    const own = input ?? select ?? area ?? ''
    const name = attribute(own, 'name')
    if (name === null) return []
    const type = attribute(own, 'type') ?? 'text'
    if (input !== undefined && type === 'file') return []
    if (input !== undefined) return [inputOf(name, type, own)]
    if (area !== undefined) return [{ name, kind: 'text', value: plain(content), isOn: true, choices: [] }]
    return [listOf(name, options)]
  })
}

function inputOf(name: string, type: string, own: string): Control {
  const kind = type === 'hidden' ? 'hidden' : type === 'checkbox' ? 'tick' : 'text'
  const isOn = kind !== 'tick' || /\schecked(\s|$)/.test(own)
  return { name, kind, value: attribute(own, 'value') ?? '', isOn, choices: [] }
}

function listOf(name: string, options: string): Control {
  const all = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, own = '']) => own)
  const choices = all.map((own) => attribute(own, 'value') ?? '')
  const chosen = all.findIndex((own) => /\sselected(\s|$)/.test(own))
  return { name, kind: 'list', value: choices[Math.max(0, chosen)] ?? '', isOn: true, choices }
}

function attribute(own: string, name: string): string | null {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(own)
  return found === null ? null : plain(found[1] ?? '')
}

function plain(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

/** Returns what a browser sends of the controls. */
export function sentFrom(controls: readonly Control[]): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>()
  for (const { name, value, isOn } of controls) if (isOn) fields.set(name, [...(fields.get(name) ?? []), value])
  return fields
}

/** Returns what a person can make of the controls by changing one of them. */
export function changesOf(controls: readonly Control[]): readonly (readonly Control[])[] {
  return controls.flatMap((one, at) => variantsOf(one).map((other) => controls.with(at, other)))
}

function variantsOf(one: Control): readonly Control[] {
  if (one.kind === 'hidden') return []
  if (one.kind === 'tick') return [{ ...one, isOn: !one.isOn }]
  if (one.kind === 'list') return one.choices.filter((value) => value !== one.value).map((value) => ({ ...one, value }))
  // At the end of the text, and at that of its first line.
  return [`${one.value}1`, one.value.replace(/$/m, '1')].map((value) => ({ ...one, value }))
}

const nobody = (): never => {
  throw new Error('this form needs no call of the API')
}

/** Returns the frame of a person with every scope, whose page calls nothing. */
export function offlineFrame(language: Language): Frame {
  const organisation = { slug: 'acme', name: 'Acme', accentColor: null, timeZone: 'UTC', privacyUri: null }
  return {
    language,
    texts: pageTexts[language],
    t: consoleTexts[language],
    csrf: () => 'token',
    params: {},
    query: {},
    fields: new Map(),
    isKept: false,
    isLost: false,
    here: '/console',
    now: new Date(0),
    origin: 'https://chirograph.example',
    idToken: '',
    headers: {},
    fileOf: () => null,
    api: { call: nobody, text: nobody, stream: nobody, document: nobody, addressOf: nobody },
    orMissing: nobody,
    missingId: () => null,
    me: {
      // Ids of nobody.
      id: '01890000-0000-7000-8000-000000000001' as UserId,
      name: 'Naledi',
      email: null,
      roles: ['owner'],
      scopes: ['tenant:admin'],
      organisation: { ...organisation, id: '01890000-0000-7000-8000-000000000002' as TenantId, supportAddress: null },
    },
  }
}
