/** An attribute of a resource, as `/Schemas` describes it. @see [RFC 7643, 7](https://www.rfc-editor.org/rfc/rfc7643#section-7) */
export type Attribute = {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'complex' | 'reference'
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: 'readWrite' | 'readOnly' | 'immutable'
  readonly returned: 'default' | 'always'
  readonly uniqueness: 'none' | 'server'
  readonly subAttributes?: readonly Attribute[]
  readonly referenceTypes?: readonly string[]
}

/** A schema: the attributes of a kind of resource. */
export type Schema = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute[]
  /**
   * Attributes of the registered schemas that are accepted and not kept, in lower case: providers send them whatever
   * `/Schemas` says, and an operation on one must not fail a whole request.
   */
  readonly ignored: ReadonlySet<string>
  /** Multi-valued attributes of which one element is kept, and the others are accepted and not kept. In lower case. */
  readonly oneKept: ReadonlySet<string>
}

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

function attribute(name: string, description: string, more: Partial<Attribute> = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...more,
  }
}

const external = attribute('externalId', 'Id in the system of the provisioning client, compared exactly.', {
  caseExact: true,
})

/** The schema of users. @see [RFC 7643, 4.1](https://www.rfc-editor.org/rfc/rfc7643#section-4.1) */
export const userSchema: Schema = {
  id: USER,
  name: 'User',
  description: 'A person in the directory of the organisation.',
  attributes: [
    attribute('userName', 'Name for signing in, unique in the organisation.', { required: true, uniqueness: 'server' }),
    external,
    attribute('name', 'The parts of the name.', {
      type: 'complex',
      subAttributes: [
        attribute('formatted', 'First and last name.', { mutability: 'readOnly' }),
        attribute('familyName', 'Last name.'),
        attribute('givenName', 'First name.'),
      ],
    }),
    attribute('displayName', 'The name that is shown; first and last name by default.'),
    attribute('emails', 'E-mail addresses; the primary one, else the first, is unique in the organisation.', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The address.', { uniqueness: 'server' }),
        attribute('type', 'work, home or other.'),
        attribute('primary', 'Whether it is the preferred one.', { type: 'boolean' }),
      ],
    }),
    attribute('active', 'Whether the person may sign in and receive credentials.', { type: 'boolean' }),
    attribute('roles', 'Roles of the person alone; groups may give more.', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The name of a role.', { caseExact: true }),
        attribute('primary', 'Whether it is the only one.', { type: 'boolean' }),
      ],
    }),
    attribute('groups', 'Groups of the person.', {
      type: 'complex',
      multiValued: true,
      mutability: 'readOnly',
      subAttributes: [
        attribute('value', 'The id of the group.', { caseExact: true, mutability: 'readOnly' }),
        attribute('$ref', 'The address of the group.', {
          type: 'reference',
          caseExact: true,
          mutability: 'readOnly',
          referenceTypes: ['Group'],
        }),
        attribute('display', 'The name of the group.', { mutability: 'readOnly' }),
      ],
    }),
  ],
  ignored: new Set([
    'nickname',
    'profileurl',
    'title',
    'usertype',
    'preferredlanguage',
    'locale',
    'timezone',
    'password',
    'phonenumbers',
    'ims',
    'photos',
    'addresses',
    'entitlements',
    'x509certificates',
    'name.middlename',
    'name.honorificprefix',
    'name.honorificsuffix',
    'emails.display',
    'emails.$ref',
    'roles.display',
    'roles.type',
    'roles.$ref',
    'groups.type',
    'employeenumber',
    'costcenter',
    'organization',
    'division',
    'department',
    'manager',
    ENTERPRISE.toLowerCase(),
  ]),
  oneKept: new Set(['emails']),
}

/** The schema of groups. @see [RFC 7643, 4.2](https://www.rfc-editor.org/rfc/rfc7643#section-4.2) */
export const groupSchema: Schema = {
  id: GROUP,
  name: 'Group',
  description: 'Users who have the same roles.',
  attributes: [
    attribute('displayName', 'The name of the group, unique in the organisation.', {
      required: true,
      uniqueness: 'server',
    }),
    external,
    attribute('members', 'The users in the group.', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the user.', { caseExact: true, mutability: 'immutable' }),
        attribute('$ref', 'The address of the user.', {
          type: 'reference',
          caseExact: true,
          mutability: 'immutable',
          referenceTypes: ['User'],
        }),
        attribute('display', 'The name of the user.', { mutability: 'readOnly' }),
      ],
    }),
  ],
  ignored: new Set(['members.type']),
  oneKept: new Set(),
}

/** Attributes of every resource. @see [RFC 7643, 3.1](https://www.rfc-editor.org/rfc/rfc7643#section-3.1) */
export const commonAttributes: readonly Attribute[] = [
  attribute('id', 'The id that this server gave.', { caseExact: true, mutability: 'readOnly', returned: 'always' }),
  attribute('schemas', 'The schemas of the resource.', { multiValued: true, returned: 'always' }),
  attribute('meta', 'Times, version and address.', { type: 'complex', mutability: 'readOnly' }),
]

/** Returns the attribute of that name in lower case; null if the schema does not have it. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | null {
  return attributes.find((one) => one.name.toLowerCase() === name) ?? null
}
