import { type TSchema, Type } from 'typebox'

/** A time as RFC 3339 has it. */
export const time = Type.String({ format: 'date-time' })

/** A value, or null where there is none. */
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
