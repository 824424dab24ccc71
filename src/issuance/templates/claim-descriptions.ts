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
