import { pointerTo } from '../../json-pointer.ts'
import { walkAttributes } from '../../protocols/claim-tree.ts'
import { isClear } from '../../protocols/sd-jwt-vc/issue-sd-jwt-vc.ts'
import type { Attributes, TemplateAttribute } from './attributes/attributes.ts'
import { isMandatory, type MdocAttribute } from './attributes/mdoc-attributes.ts'
import type { MdocDefinition } from './template.ts'

/** One claim that a template describes. `path` is a claims path pointer: null selects every element of an array. */
export type TemplateClaimDescription = {
  readonly path: readonly (string | null)[]
  readonly attribute: TemplateAttribute
  /** Every credential of the template has the claim. */
  readonly mandatory: boolean
  /** The claim is always disclosed. */
  readonly clear: boolean
}

/** Returns the claims of a template in display order, parents before their members. */
export function describeClaims(attributes: Attributes): TemplateClaimDescription[] {
  const described: TemplateClaimDescription[] = []
  const root: Pick<TemplateClaimDescription, 'mandatory' | 'clear'> = { mandatory: true, clear: false }
  walkAttributes(attributes, root, (attribute, path, parent) => {
    // An array may be empty, so no element is mandatory.
    const mandatory = parent.mandatory && attribute.required === true && path.at(-1) !== null
    const clear = isClear(attribute, parent.clear, path.at(-1) === null)
    const one = { path, attribute, mandatory, clear }
    described.push(one)
    return one
  })
  return described
}

/**
 * Returns descriptions with those of the attributes that stand on the card first, in the order of the card: wallets
 * show claims in the order in which they are described.
 *
 * @param cardLine JSON pointers of attributes; of an mdoc of its elements.
 */
export function cardFirst<D extends { readonly path: readonly (string | null)[] }>(
  described: readonly D[],
  cardLine: readonly string[] = [],
): D[] {
  const rank = ({ path }: D): number => {
    const place = cardLine.findIndex((pointer) => `${pointerOf(path)}/`.startsWith(`${pointer}/`))
    return place === -1 ? cardLine.length : place
  }
  return described.toSorted((one, other) => rank(one) - rank(other))
}

function pointerOf(path: readonly (string | null)[]): string {
  return path.reduce<string>((above, step) => pointerTo(above, step ?? '-'), '')
}

/**
 * One element of an mdoc. `path`: namespace and element identifier; values inside have no path of their own. [VCI-M16]
 */
export type ElementDescription = {
  readonly path: readonly [string, string]
  readonly attribute: MdocAttribute
  readonly mandatory: boolean
}

/** Returns the elements of an mdoc template in display order. */
export function describeElements({ docType, attributes }: MdocDefinition): ElementDescription[] {
  return Object.entries(attributes).flatMap(([nameSpace, elements]) =>
    Object.entries(elements).map(([name, attribute]) => {
      const path = [nameSpace, name] as const
      return { path, attribute, mandatory: isMandatory(docType, nameSpace, name, attribute) }
    }),
  )
}
