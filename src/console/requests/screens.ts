import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { buttonLink } from '../../pages/parts.ts'
import { when } from '../frame/when.ts'
import { resource } from '../resource/resource.ts'
import { askedPathText, rowsOfAttributes } from './asked-attributes.ts'
import { requestForm, shownRequest } from './form.ts'
import type { RequestTemplate } from './request.ts'
import { requestTexts } from './texts.ts'

/** The screens of presentation templates: what can be asked for. */
export const requestScreens: readonly Endpoint[] = resource({
  noun: presentationTemplates,
  place: 'requests',
  path: '/console/requests',
  texts: requestTexts,
  called: { one: 'a request', many: 'what can be asked for' },
  name: { label: 'name', of: ({ name }) => name, isSorted: true },
  columns: { asks: asked, changed: ({ updatedAt }, frame) => when(frame, updatedAt) },
  sort: 'name',
  sorts: ['createdAt', 'name'],
  search: { label: 'search', empty: 'nothingFits' },
  narrowed: { type: (type) => type },
  facts: {},
  fixed: shownRequest,
  form: requestForm,
  isListNext: true,
  actions: (_, { language }) => buttonLink(requestTexts[language].use, '/console/verify'),
})

function asked({ credentials }: RequestTemplate): string {
  const names = credentials.flatMap(({ attributes, format }) =>
    rowsOfAttributes(attributes).map(({ path }) => askedPathText(format === 'mdoc' ? path.slice(1) : path)),
  )
  return names.join(', ')
}
