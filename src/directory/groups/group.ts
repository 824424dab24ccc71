/** A group of users of a tenant. It gives its roles to its members. */
export type Group = {
  readonly id: string
  /** Unique in the tenant, compared case-insensitively. */
  readonly displayName: string
  /** The id of the group in the organisation's own systems. */
  readonly externalIdentifier: string | null
  readonly roles: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Incremented with every change, also of its members. */
  readonly version: number
}

/** A member of a group. */
export type Member = { readonly id: string; readonly username: string }

/** Members of a group that a caller may set. Null clears; undefined leaves as it is. */
export type GroupChange = {
  readonly displayName?: string | undefined
  readonly externalIdentifier?: string | null | undefined
  readonly roles?: readonly string[] | undefined
  /** All members from now on, by the ids of users. */
  readonly members?: readonly string[] | undefined
  readonly addMembers?: readonly string[] | undefined
  readonly removeMembers?: readonly string[] | undefined
}
