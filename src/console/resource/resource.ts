import type { Endpoint } from '../../http/routes/endpoint.ts'
import { removeScreen } from '../frame/confirm.ts'
import { changeScreen, newScreen } from './form-screens.ts'
import { listScreen } from './list-screen.ts'
import type { AnyResource, Noun, RemovalTexts, Resource, TextsOf } from './noun.ts'
import { pageScreen } from './page-screen.ts'
import { readOne } from './read-one.ts'
import { shownName } from './shown.ts'

/**
 * Returns the screens of a noun: its list, one of it, a form for a new one, changes with both versions on a conflict,
 * removal.
 */
export function resource<N extends Noun, T extends TextsOf<N>>(described: Resource<N, T>): readonly Endpoint[] {
  // Rows and replies are those of its own operations.
  const one = described as unknown as AnyResource
  return [
    ...listScreen(one),
    ...newScreen(one),
    ...(one.isFormApart ? changeScreen(one) : []),
    ...(one.hasNoPage ? [] : pageScreen(one)),
    ...removal(one),
  ]
}

function removal(one: AnyResource): readonly Endpoint[] {
  const { delete: deletion, archive } = one.noun
  const operation = deletion ?? archive
  if (operation === undefined) return []
  const verb = deletion === undefined ? 'archive' : 'delete'
  return removeScreen({
    place: one.place,
    list: one.path,
    operation,
    verb,
    // A noun of which one can be removed has them.
    texts: one.texts as AnyResource<RemovalTexts>['texts'],
    hasNoPage: one.hasNoPage,
    summary: `Asks whether to ${verb} ${one.called.one}, and does it.`,
    nameOf: async (frame) => shownName(one, (await readOne(one, frame)).found, frame),
  })
}
