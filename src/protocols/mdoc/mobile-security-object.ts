import type { Json } from '../../crypto/json.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import type { Cbor } from '../cbor/value.ts'
import { readCoseKey } from '../cose/cose-key.ts'
import { toJson } from './claims.ts'
import { arrayOf, bytesOf, cborText, mapOf, tdateOf, textMapOf, uintOf } from './shape.ts'

/** Elements that the device may sign: whole namespaces, and single elements by namespace. */
export type KeyAuthorizations = {
  readonly nameSpaces: readonly string[]
  readonly dataElements: ReadonlyMap<string, readonly string[]>
}

/** When a credential was signed and when it is valid. */
export type ValidityInfo = {
  readonly signed: Date
  readonly validFrom: Date
  readonly validUntil: Date
  readonly expectedUpdate?: Date | undefined
}

/** The signed payload of an mdoc: digests of the elements, and the device key. */
export type MobileSecurityObject = {
  readonly version: string
  readonly digestAlgorithm: string
  readonly valueDigests: ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>
  /** Null if it is of an unsupported kind. */
  readonly deviceKey: PublicJwk | null
  readonly keyAuthorizations: KeyAuthorizations
  readonly docType: string
  readonly validityInfo: ValidityInfo
  /** As JSON, as in a JWT; undefined if absent. */
  readonly status: Json | undefined
}

/**
 * Parses a decoded MobileSecurityObject. Unknown members are ignored. NOT checked: version and times.
 *
 * @throws Fault `mdoc.malformed`
 */
export function readMobileSecurityObject(value: Cbor): MobileSecurityObject {
  const mso = mapOf(value, 'The security object')
  const keyInfo = mapOf(mso.get('deviceKeyInfo'), 'deviceKeyInfo')
  const status = mso.get('status')
  return {
    version: cborText(mso.get('version'), 'The version of the security object'),
    digestAlgorithm: cborText(mso.get('digestAlgorithm'), 'digestAlgorithm'),
    valueDigests: readDigests(mso.get('valueDigests')),
    deviceKey: readDeviceKey(keyInfo.get('deviceKey')),
    keyAuthorizations: readAuthorizations(keyInfo.get('keyAuthorizations')),
    docType: cborText(mso.get('docType'), 'docType'),
    validityInfo: readValidity(mso.get('validityInfo')),
    status: status === undefined ? undefined : toJson(status),
  }
}

/** Whether the issuer authorized the device to sign an element. [MD-23] */
export function isAuthorized(
  { nameSpaces, dataElements }: KeyAuthorizations,
  nameSpace: string,
  element: string,
): boolean {
  return nameSpaces.includes(nameSpace) || (dataElements.get(nameSpace)?.includes(element) ?? false)
}

function readDigests(value: Cbor): MobileSecurityObject['valueDigests'] {
  const nameSpaces = [...textMapOf(value, 'valueDigests')].map(([nameSpace, digests]) => {
    const entries = [...mapOf(digests, 'The digests of a namespace')].map(
      ([id, digest]) => [uintOf(id, 'A digest id'), bytesOf(digest, 'A digest')] as const,
    )
    return [nameSpace, new Map(entries)] as const
  })
  return new Map(nameSpaces)
}

function readDeviceKey(value: Cbor): PublicJwk | null {
  const key = mapOf(value, 'deviceKey')
  try {
    return readCoseKey(key)
  } catch {
    return null
  }
}

function readAuthorizations(value: Cbor): KeyAuthorizations {
  if (value === undefined) return { nameSpaces: [], dataElements: new Map() }
  const authorizations = mapOf(value, 'keyAuthorizations')
  const elements = textMapOf(authorizations.get('dataElements') ?? new Map(), 'dataElements')
  return {
    nameSpaces: texts(authorizations.get('nameSpaces') ?? []),
    dataElements: new Map([...elements].map(([nameSpace, names]) => [nameSpace, texts(names)])),
  }
}

function texts(value: Cbor): readonly string[] {
  return arrayOf(value, 'A list of names').map((one) => cborText(one, 'A name'))
}

function readValidity(value: Cbor): ValidityInfo {
  const validity = mapOf(value, 'validityInfo')
  const expectedUpdate = validity.get('expectedUpdate')
  return {
    signed: tdateOf(validity.get('signed'), 'signed'),
    validFrom: tdateOf(validity.get('validFrom'), 'validFrom'),
    validUntil: tdateOf(validity.get('validUntil'), 'validUntil'),
    expectedUpdate: expectedUpdate === undefined ? undefined : tdateOf(expectedUpdate, 'expectedUpdate'),
  }
}
