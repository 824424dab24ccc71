import type { MetaOf, ReplyOf } from '../../contract/api-operation.ts'
import { trustedEntities } from '../../contract/trust/trusted-entities.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { badge, table } from '../../pages/table.ts'
import type { Frame } from '../frame/screen.ts'
import { day, when } from '../frame/when.ts'
import { resource } from '../resource/resource.ts'
import { entityForm } from './entity.ts'
import { trustedTexts } from './texts.ts'

type Entity = ReplyOf<typeof trustedEntities.get>
type Meta = MetaOf<typeof trustedEntities.get>
type Certificate = Meta['certificates'][number]

const purposesOf = ({ purposes }: Entity, { language }: Frame) =>
  purposes.map((one) => trustedTexts[language].purpose[one] ?? one).join(', ')
const changedOf = ({ updatedAt }: Entity, frame: Frame) => when(frame, updatedAt)

/** Trusted entities. */
export const trustedScreens: readonly Endpoint[] = resource({
  noun: trustedEntities,
  place: 'trusted',
  path: '/console/trusted',
  texts: trustedTexts,
  called: { one: 'a trusted entity', many: 'the trusted entities' },
  name: { label: 'name', of: ({ name }) => name },
  columns: { purposes: purposesOf, known: knownBy, changed: changedOf },
  sort: 'name',
  search: { label: 'search', empty: 'emptyFilter' },
  facts: {
    purposes: purposesOf,
    issuers: ({ issuers }, frame) => codes(issuers, frame),
    dids: (one, frame) =>
      codes(
        one.dids.map(({ did }) => did),
        frame,
      ),
    changed: changedOf,
  },
  panels: [certificatesPanel],
  form: entityForm,
})

function knownBy(entity: Entity, { language, t: { none } }: Frame): string {
  const { counts } = trustedTexts[language]
  const kinds = (['issuers', 'dids', 'certificates'] as const).filter((kind) => entity[kind].length > 0)
  return kinds.map((kind) => counts[kind](entity[kind].length)).join(', ') || none
}

function codes(values: readonly string[], { t }: Frame): Html | string {
  return values.length === 0 ? t.none : html`${values.map((one) => html`<code>${foreign(one, 500)}</code> `)}`
}

function certificatesPanel(_: Entity, frame: Frame, { certificates }: Meta): Html | null {
  if (certificates.length === 0) return null
  const t = trustedTexts[frame.language]
  const isOver = ({ notAfter }: Certificate) => Date.parse(notAfter) < frame.now.getTime()
  const columns = [
    { heading: t.subject, cell: ({ subject }: Certificate) => foreign(subject) },
    {
      heading: t.validUntil,
      cell: (one: Certificate) => html`${day(frame, one.notAfter)} ${isOver(one) && badge(t.ended, 'bad')}`,
    },
  ]
  return table(t.certificates, columns, certificates)
}
