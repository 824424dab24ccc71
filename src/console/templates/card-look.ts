import { pointerTo } from '../../json-pointer.ts'
import { attributesOf, type PlacedAttribute, type Template } from './content/template.ts'

const LINE_DEFAULT = 2

/** Returns colours and pictures of the cards of a template, for `credentialCard` and `cardStyle`. */
export function lookOf({ display = {} }: Pick<Template, 'display'>) {
  const { backgroundColor: back, textColor: ink, logo, backgroundImage } = display
  return { back, ink, logo: logo?.uri, picture: backgroundImage?.uri }
}

/** Returns the attributes whose values stand on a card: those that the template names, else the first two. */
export function lineOf(template: Pick<Template, 'format' | 'attributes' | 'display'>): readonly PlacedAttribute[] {
  const all = attributesOf(template)
  const chosen = template.display?.cardLine ?? []
  const named = chosen.flatMap((pointer) => all.find((one) => pointerOf(one) === pointer) ?? [])
  return named.length > 0 ? named : all.slice(0, LINE_DEFAULT)
}

/** Returns the JSON pointer of an attribute, as `cardLine` has it. */
function pointerOf({ namespace, key }: PlacedAttribute): string {
  return pointerTo(namespace === '' ? '' : pointerTo('', namespace), key)
}
