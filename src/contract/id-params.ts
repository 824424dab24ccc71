import { Type } from 'typebox'

/** The path parameter of an operation on one resource. */
export const IdParams = Type.Object({ id: Type.String({ format: 'uuid' }) })
