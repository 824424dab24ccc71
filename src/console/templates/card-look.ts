import { pointerTo } from '../../json-pointer.ts'
import { attributesOf, type PlacedAttribute, type Template } from './content/template.ts'

/** Values on a card, as the wallet shows them. */
export const LINE_VALUES = 2

/** Returns colours and pictures of the cards of a template, for `credentialCard` and `cardStyle`. */
export function lookOf({ display = {} }: Pick<Template, 'display'>) {
  const { backgroundColor: back, textColor: ink, logo, backgroundImage } = display
  return { back, ink, logo: logo?.uri, picture: backgroundImage?.uri }
}

/** Returns the attributes whose values stand on a card: those that the template names, then the others. */
export function lineOf(template: Pick<Template, 'format' | 'attributes' | 'display'>): readonly PlacedAttribute[] {
  const all = attributesOf(template)
  const chosen = template.display?.cardLine ?? []
  const named = chosen.flatMap((pointer) => all.find((one) => pointerOf(one) === pointer) ?? [])
  return [...named, ...all.filter((one) => !named.includes(one))].slice(0, LINE_VALUES)
}

/** Returns the JSON pointer of an attribute, as `cardLine` has it. */
function pointerOf({ namespace, key }: PlacedAttribute): string {
  return pointerTo(namespace === '' ? '' : pointerTo('', namespace), key)
}
