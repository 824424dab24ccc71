import type { Language } from '../contract/languages.ts'
import type { Page } from '../pages/document.ts'
import { accentStyle } from '../pages/look/accent.ts'
import { logoImage, organisationNote } from '../pages/look/organisation.ts'
import { pageTexts } from '../pages/messages/page-texts.ts'
import type { PageAnswer } from '../pages/page-endpoint.ts'
import type { Face } from './link-api.ts'
import { visitorName, visitorShell } from './views.ts'

/** A page of a person, or of what somebody was given: in no index, and no other website learns its address. */
export const privateHeaders = { 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'no-referrer' } as const

/** The address at which an organisation checks what somebody was given. */
export function checkPath(slug: string): string {
  return `/check-file/${encodeURIComponent(slug)}`
}

/** Puts content into a page of an organisation: name, logo, colour, where it explains itself. */
export function framedFor(face: Face, language: Language, page: Page, status = 200): PageAnswer {
  const name = visitorName(face)
  const style = accentStyle(face.accentColor)
  const logo = face.logoPath === null ? null : logoImage(face.logoPath)
  const note = organisationNote(face, pageTexts[language])
  return {
    status,
    headers: privateHeaders,
    page: {
      ...page,
      organisation: name,
      note,
      shell: visitorShell(name, logo),
      ...(style !== '' && { style }),
    },
  }
}
